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

}  // namespace

std::optional<Knee> knee_of(std::span<const double> x, std::span<const double> y) {
  constexpr std::size_t fewest_flat = 2, fewest_rising = 3;
  double least = std::numeric_limits<double>::infinity();
  Knee best;
  double flat_slope = 0;
  for (std::size_t split = fewest_flat; split + fewest_rising <= x.size(); ++split) {
    const auto low = y.first(split);
    const double flat = std::accumulate(low.begin(), low.end(), 0.0) / static_cast<double>(split);
    const Line line = line_through(x.subspan(split), y.subspan(split));
    double error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = i < split ? flat : line.offset + line.slope * x[i];
      error += (y[i] - expected) * (y[i] - expected);
    }
    if (error >= least) continue;
    least = error;
    flat_slope = line_through(x.first(split), low).slope;
    best = {(flat - line.offset) / line.slope, flat, line.offset, line.slope};
  }
  if (x.size() < fewest_flat + fewest_rising || best.slope <= 0) return std::nullopt;
  // A flat part that rises is the foot of the other one.
  if (flat_slope > best.slope / 4) return std::nullopt;
  if (best.x < x.front() || best.x > x.back()) return std::nullopt;
  return best;
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
