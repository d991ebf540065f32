#pragma once
// From samples of the memory probes to values: where a bandwidth curve saturates, what still hits in L2, when
// a half-written sector is given up. Host only and pure; tested on synthetic samples.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "microbench/probe.hpp"
#include "microbench/stream_shape.hpp"

namespace tilecast {

struct ShapeSeries {
  std::vector<StreamShape> shapes;
  std::vector<std::vector<double>> samples;  // of each shape, bytes/s, all of the same length
};

// Of the shapes that keep the same number of bytes in flight the one with the highest median.
ProbeCurve best_over_bytes(const ShapeSeries& series, int sms, std::string key, std::string method);

// The shapes that `keep` picks.
template <class Keep>
ShapeSeries part_of(const ShapeSeries& series, Keep keep) {
  ShapeSeries part;
  for (std::size_t i = 0; i < series.shapes.size(); ++i) {
    if (!keep(series.shapes[i])) continue;
    part.shapes.push_back(series.shapes[i]);
    part.samples.push_back(series.samples[i]);
  }
  return part;
}

struct Saturation {
  std::vector<double> plateau;  // of each repeat
  // at[i]: x at levels[i] of the plateau, of each repeat whose curve crosses that level
  std::vector<std::vector<double>> at;
};

// By monotone interpolation in log2(x) (x_at_level). Every point has the same number of repeats, at least
// one.
Saturation saturation(const ProbeCurve& curve, std::span<const double> levels);

// The samples of all points of a curve whose x lies within [low, high].
std::vector<double> samples_between(const ProbeCurve& curve, double low, double high);

// The x at which each repeat of a falling curve goes below `level` (x_below), of those that do.
std::vector<double> x_below_by_repeat(const ProbeCurve& curve, double level);

// What writing half sectors costs, from bandwidths by distance (ascending bytes written between the halves),
// of as many repeats each.
struct HalfSectorCost {
  std::vector<double> ratio;  // time of a half written alone over that of a whole, at the largest distance
  std::vector<double>
      merge_bytes;  // distance at which half of that cost is reached, of the repeats that reach it
};
HalfSectorCost half_sector_cost(std::span<const double> distances,
                                std::span<const std::vector<double>> halves,
                                std::span<const std::vector<double>> wholes);

// Bytes that Little's law wants in flight: bytes/s x cycles / (cycles/s).
double little_bytes(double bytes_per_s, double latency_cycles, double clock_hz);

struct HitThreshold {
  double cycles = 0;      // a load that takes longer is a miss
  double hits_above = 0;  // shares of the two known sets that it puts on the wrong side
  double misses_below = 0;
};

// The threshold that puts the fewest of loads known to hit and loads known to miss on the wrong side, in the
// middle of the range where that holds. Neither set is empty.
HitThreshold hit_threshold(std::span<const double> hits, std::span<const double> misses);

double share_up_to(std::span<const double> samples, double threshold);

// The smallest x at which a falling curve, linear in log2(x) between points, goes below `level`. Absent when
// it never does or starts there.
std::optional<double> x_below(std::span<const double> x, std::span<const double> y, double level);

// Where a curve that rises from one plateau to another is half way between its first and its last value,
// linear in log2(x). Absent when it does not rise by at least a tenth.
std::optional<double> halfway_up(std::span<const double> x, std::span<const double> y);

}  // namespace tilecast
