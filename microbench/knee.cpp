#include "microbench/knee.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tilecast {

namespace {

struct Line {
  double offset = 0, slope = 0;
};

Line line_through(std::span<const double> x, std::span<const double> y) {
  const auto count = static_cast<double>(x.size());
  const double centre = std::accumulate(x.begin(), x.end(), 0.0) / count;
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - centre) * (y[i] - mean);
    squares += (x[i] - centre) * (x[i] - centre);
  }
  const double slope = products / squares;
  return {mean - slope * centre, slope};
}

// The best flat part and slope for a knee at `at`: a line over the distance beyond it.
Knee with_knee_at(double at, std::span<const double> x, std::span<const double> y) {
  std::vector<double> beyond;
  for (const double value : x)
    beyond.push_back(std::max(0.0, value - at));
  const Line line = line_through(beyond, y);
  return {at, line.offset, line.offset - line.slope * at, line.slope};
}

double squared_error(const Knee& knee, std::span<const double> x, std::span<const double> y) {
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = x[i] < knee.x ? knee.flat : knee.offset + knee.slope * x[i];
    error += (y[i] - expected) * (y[i] - expected);
  }
  return error;
}

}  // namespace

std::optional<Knee> knee_of(std::span<const double> x, std::span<const double> y) {
  constexpr std::size_t fewest_flat = 2, fewest_rising = 3;
  std::optional<Knee> best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Knee& knee) {
    const double error = squared_error(knee, x, y);
    if (knee.slope <= 0 || error >= least) return;
    least = error;
    best = knee;
  };
  for (std::size_t split = fewest_flat; split + fewest_rising <= x.size(); ++split) {
    const auto low = y.first(split);
    const double flat = std::accumulate(low.begin(), low.end(), 0.0) / static_cast<double>(split);
    const Line line = line_through(x.subspan(split), y.subspan(split));
    const double at = (flat - line.offset) / line.slope;
    if (at >= x[split - 1] && at <= x[split]) consider({at, flat, line.offset, line.slope});
    consider(with_knee_at(x[split - 1], x, y));
    consider(with_knee_at(x[split], x, y));
  }
  // At the edge the error still falls outwards, and a flat part that rises is the foot of the other one.
  if (!best || best->x <= x[fewest_flat - 1] || best->x >= x[x.size() - fewest_rising]) return std::nullopt;
  const auto flat_points =
      static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), best->x) - x.begin());
  if (line_through(x.first(flat_points), y.first(flat_points)).slope > best->slope / 4) return std::nullopt;

  // Where the latency itself varies the corner is round: what lies near it belongs to neither line.
  constexpr double near = 1.5;
  const auto index_of = [&](double value) {
    return static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), value) - x.begin());
  };
  const std::size_t low = index_of(best->x / near), high = index_of(best->x * near);
  if (low < fewest_flat || high + fewest_rising > x.size()) return best;
  const double flat = std::accumulate(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(low), 0.0) /
                      static_cast<double>(low);
  const Line line = line_through(x.subspan(high), y.subspan(high));
  return Knee{(flat - line.offset) / line.slope, flat, line.offset, line.slope};
}

std::vector<double> knees_by_repeat(std::span<const double> x, std::span<const std::vector<double>> samples) {
  std::vector<double> knees, y(x.size());
  for (std::size_t r = 0; r < (samples.empty() ? 0 : samples.front().size()); ++r) {
    std::transform(samples.begin(), samples.end(), y.begin(), [r](const auto& point) { return point[r]; });
    if (const auto knee = knee_of(x, y)) knees.push_back(knee->x);
  }
  return knees;
}

}  // namespace tilecast
