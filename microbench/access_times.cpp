#include "microbench/access_times.hpp"

#include <algorithm>

#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

std::vector<double> access_times(std::span<const std::uint32_t> readings) {
  std::vector<double> times;
  for (std::size_t i = 1; i < readings.size(); ++i)
    times.push_back(static_cast<double>(readings[i] - readings[i - 1]));  // modulo 2^32
  return times;
}

NearFar near_and_far(std::span<const double> first, std::span<const double> second) {
  NearFar result;
  result.near.assign(second.begin(), second.end());
  result.is_far.assign(first.size(), false);
  std::vector<double> extra;
  for (std::size_t i = 0; i < first.size(); ++i)
    extra.push_back(first[i] - second[i]);
  const auto clusters = two_clusters(extra);
  if (!clusters) return result;
  // Clock readings are integers: their jitter has clusters too. No crossing between parts is that cheap.
  constexpr double least_share = 0.1;
  if (median(clusters->upper) - median(clusters->lower) < least_share * median(result.near)) return result;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (extra[i] < clusters->upper.front()) continue;
    result.is_far[i] = true;
    result.far.push_back(first[i]);
  }
  return result;
}

NearFarMeans near_and_far_means(std::span<const std::vector<double>> first,
                                std::span<const std::vector<double>> second) {
  const auto medians = [](std::span<const std::vector<double>> samples) {
    std::vector<double> values;
    for (const auto& line : samples)
      values.push_back(median(line));
    return values;
  };
  const NearFar found = near_and_far(medians(first), medians(second));
  NearFarMeans means;
  for (std::size_t r = 0; r < second.front().size(); ++r) {
    double near = 0, far = 0, far_lines = 0;
    for (std::size_t i = 0; i < second.size(); ++i) {
      near += second[i][r];
      if (!found.is_far[i]) continue;
      far += first[i][r];
      ++far_lines;
    }
    means.near.push_back(near / static_cast<double>(second.size()));
    if (far_lines > 0) means.far.push_back(far / far_lines);
  }
  return means;
}

std::vector<std::size_t> rising_part(std::span<const LoadedPoint> points, double gain) {
  std::vector<std::size_t> kept;
  double most = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double rate = median(points[i].bytes_per_s);
    if (rate <= most * (1 + gain)) continue;
    most = rate;
    kept.push_back(i);
  }
  return kept;
}

std::optional<double> y_where_x_reaches(std::span<const double> x, std::span<const double> y, double level) {
  if (x.empty() || x.front() > level) return std::nullopt;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < level) continue;
    if (i == 0) return y[0];
    return y[i - 1] + (y[i] - y[i - 1]) * (level - x[i - 1]) / (x[i] - x[i - 1]);
  }
  return std::nullopt;
}

std::vector<double> latency_at_load(std::span<const LoadedPoint> points, std::vector<double> LoadedPoint::*y,
                                    double fraction) {
  std::vector<double> result;
  for (std::size_t r = 0; !points.empty() && r < points.front().bytes_per_s.size(); ++r) {
    std::vector<double> x, latency;
    for (const LoadedPoint& point : points) {
      x.push_back(point.bytes_per_s[r]);
      latency.push_back((point.*y)[r]);
    }
    const double level = fraction * *std::max_element(x.begin(), x.end());
    if (const auto found = y_where_x_reaches(x, latency, level)) result.push_back(*found);
  }
  return result;
}

}  // namespace tilecast
