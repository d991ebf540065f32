#include "microbench/memory_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

std::vector<double> repeat_of(std::span<const std::vector<double>> samples, std::size_t repeat) {
  std::vector<double> y;
  for (const auto& point : samples)
    y.push_back(point[repeat]);
  return y;
}

}  // namespace

ProbeCurve best_over_bytes(const ShapeSeries& series, int sms, std::string key, std::string method) {
  std::map<double, std::size_t> best;
  for (std::size_t i = 0; i < series.shapes.size(); ++i) {
    const double bytes = series.shapes[i].bytes_in_flight(sms);
    const auto [at, added] = best.try_emplace(bytes, i);
    if (!added && median(series.samples[i]) > median(series.samples[at->second])) at->second = i;
  }
  ProbeCurve curve{std::move(key), std::move(method), {}, {}};
  for (const auto& [bytes, i] : best) {
    curve.x.push_back(bytes);
    curve.samples.push_back(series.samples[i]);
  }
  return curve;
}

Saturation saturation(const ProbeCurve& curve, std::span<const double> levels) {
  Saturation result;
  result.at.resize(levels.size());
  for (std::size_t repeat = 0; repeat < curve.samples.front().size(); ++repeat) {
    const std::vector<double> y = repeat_of(curve.samples, repeat);
    const double top = plateau(y);
    result.plateau.push_back(top);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (const auto x = x_at_level(curve.x, y, levels[i] * top)) result.at[i].push_back(*x);
    }
  }
  return result;
}

std::vector<double> samples_between(const ProbeCurve& curve, double low, double high) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.x[i] >= low && curve.x[i] <= high)
      samples.insert(samples.end(), curve.samples[i].begin(), curve.samples[i].end());
  }
  return samples;
}

std::vector<double> x_below_by_repeat(const ProbeCurve& curve, double level) {
  std::vector<double> found;
  for (std::size_t r = 0; r < curve.samples.front().size(); ++r) {
    if (const auto x = x_below(curve.x, repeat_of(curve.samples, r), level)) found.push_back(*x);
  }
  return found;
}

HalfSectorCost half_sector_cost(std::span<const double> distances,
                                std::span<const std::vector<double>> halves,
                                std::span<const std::vector<double>> wholes) {
  HalfSectorCost cost;
  for (std::size_t r = 0; r < halves.front().size(); ++r) {
    std::vector<double> time = repeat_of(wholes, r);  // of halves over wholes, a byte
    const std::vector<double> half = repeat_of(halves, r);
    for (std::size_t d = 0; d < time.size(); ++d)
      time[d] /= half[d];
    cost.ratio.push_back(time.back() / 2);  // two halves make a sector
    if (const auto x = halfway_up(distances, time)) cost.merge_bytes.push_back(*x);
  }
  return cost;
}

double little_bytes(double bytes_per_s, double latency_cycles, double clock_hz) {
  return bytes_per_s * latency_cycles / clock_hz;
}

HitThreshold hit_threshold(std::span<const double> hits, std::span<const double> misses) {
  std::vector<double> low(hits.begin(), hits.end()), high(misses.begin(), misses.end());
  std::sort(low.begin(), low.end());
  std::sort(high.begin(), high.end());
  std::vector<double> all = low;
  all.insert(all.end(), high.begin(), high.end());
  std::sort(all.begin(), all.end());
  HitThreshold best;
  double fewest = 3;
  std::size_t first = 0, last = 0;  // between all[i] and the next one
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto above = low.end() - std::upper_bound(low.begin(), low.end(), all[i]);
    const auto below = std::upper_bound(high.begin(), high.end(), all[i]) - high.begin();
    const double wrong_hits = static_cast<double>(above) / static_cast<double>(low.size());
    const double wrong_misses = static_cast<double>(below) / static_cast<double>(high.size());
    if (wrong_hits + wrong_misses < fewest) {
      fewest = wrong_hits + wrong_misses;
      best = {0, wrong_hits, wrong_misses};
      first = last = i;
    } else if (wrong_hits + wrong_misses == fewest && all[i] == all[last]) {
      last = i;
    }
  }
  best.cycles = last + 1 < all.size() ? (all[first] + all[last + 1]) / 2 : all[first];
  return best;
}

double share_up_to(std::span<const double> samples, double threshold) {
  const auto count = std::count_if(samples.begin(), samples.end(), [&](double v) { return v <= threshold; });
  return static_cast<double>(count) / static_cast<double>(samples.size());
}

std::optional<double> x_below(std::span<const double> x, std::span<const double> y, double level) {
  std::vector<double> fallen;
  for (const double value : y)
    fallen.push_back(-value);
  return x_at_level(x, fallen, -level);
}

std::optional<double> halfway_up(std::span<const double> x, std::span<const double> y) {
  if (y.size() < 2 || y.back() < 1.1 * y.front()) return std::nullopt;
  return x_at_level(x, y, (y.front() + y.back()) / 2);
}

}  // namespace tilecast
