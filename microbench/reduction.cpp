#include "microbench/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "model/support/statistics.hpp"

namespace tilecast {

std::optional<Interval> median_interval(std::span<const double> samples, int resamples) {
  if (samples.size() < 3) return std::nullopt;
  // Of up to five, more than 5 % of all resamples have the least (the largest) sample as their median, so
  // that both quantiles are the extremes; maps of thousands of points need no drawing for that.
  if (samples.size() <= 5) {
    const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
    return Interval{*low, *high};
  }
  std::mt19937_64 random(20240229);
  std::vector<double> medians, drawn(samples.size());
  for (int r = 0; r < resamples; ++r) {
    // Modulo, not a distribution: standard libraries differ in those, and 2^64 makes the bias negligible.
    for (double& value : drawn)
      value = samples[random() % samples.size()];
    medians.push_back(median(drawn));
  }
  return Interval{quantile(medians, 0.025), quantile(medians, 0.975)};
}

std::vector<double> without_outliers(std::span<const double> samples, double limit) {
  if (samples.empty()) return {};
  const double centre = median(samples);
  std::vector<double> deviations;
  for (double sample : samples)
    deviations.push_back(std::abs(sample - centre));
  const double scale = 1.4826 * median(deviations);  // a normal distribution's standard deviation
  std::vector<double> kept;
  for (double sample : samples) {
    if (scale == 0 || std::abs(sample - centre) <= limit * scale) kept.push_back(sample);
  }
  return kept;
}

double slope(double x0, double y0, double x1, double y1) {
  return (y1 - y0) / (x1 - x0);
}

std::vector<double> slopes(double x0, std::span<const double> y0, double x1, std::span<const double> y1) {
  std::vector<double> result;
  for (std::size_t i = 0; i < std::min(y0.size(), y1.size()); ++i)
    result.push_back(slope(x0, y0[i], x1, y1[i]));
  return result;
}

std::size_t highest_median(std::span<const std::vector<double>> sets) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < sets.size(); ++i) {
    if (median(sets[i]) > median(sets[best])) best = i;
  }
  return best;
}

std::vector<double> steady_part(std::vector<double> samples) {
  samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 3));
  return samples;
}

std::vector<double> scaled(std::vector<double> samples, double by) {
  for (double& sample : samples)
    sample *= by;
  return samples;
}

std::vector<double> cycles_each(std::vector<double> rounds_per_cycle, double accesses) {
  for (double& rate : rounds_per_cycle)
    rate = 1 / (rate * accesses);
  return rounds_per_cycle;
}

double plateau(std::span<const double> y) {
  if (y.size() < 3) return *std::max_element(y.begin(), y.end());
  double best = median(y.subspan(0, 3));
  for (std::size_t i = 1; i + 3 <= y.size(); ++i)
    best = std::max(best, median(y.subspan(i, 3)));
  return best;
}

std::vector<double> increasing(std::span<const double> y) {
  struct Pool {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (double value : y) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<double> result;
  for (const Pool& pool : pools)
    result.insert(result.end(), pool.count, pool.mean());
  return result;
}

std::optional<double> x_at_level(std::span<const double> x, std::span<const double> y, double level) {
  const std::vector<double> rising = increasing(y);
  if (rising.empty() || rising.front() >= level) return std::nullopt;
  for (std::size_t i = 1; i < rising.size(); ++i) {
    if (rising[i] < level) continue;
    const double share = (level - rising[i - 1]) / (rising[i] - rising[i - 1]);
    return std::exp2(std::log2(x[i - 1]) + share * (std::log2(x[i]) - std::log2(x[i - 1])));
  }
  return std::nullopt;
}

std::optional<Clusters> two_clusters(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t count = sorted.size(), least = std::max<std::size_t>(count / 10, 2);
  if (count < 2 * least) return std::nullopt;
  // Sums from the mean on, lest squares of large numbers cancel.
  double centre = 0;
  for (double value : sorted)
    centre += value / static_cast<double>(count);
  double total = 0, total_squares = 0;
  for (double value : sorted) {
    total += value - centre;
    total_squares += (value - centre) * (value - centre);
  }
  struct Split {
    std::size_t at = 0;
    double within = 0, distance = 0, spread = 0;
  };
  std::optional<Split> best;
  double sum = 0, squares = 0;
  for (std::size_t at = 1; at < count; ++at) {
    sum += sorted[at - 1] - centre;
    squares += (sorted[at - 1] - centre) * (sorted[at - 1] - centre);
    if (at < least || count - at < least) continue;
    const auto n = static_cast<double>(at), m = static_cast<double>(count - at);
    const double lower = std::max(0.0, squares - sum * sum / n);
    const double upper = std::max(0.0, total_squares - squares - (total - sum) * (total - sum) / m);
    if (best && lower + upper >= best->within) continue;
    best = Split{at, lower + upper, (total - sum) / m - sum / n, std::sqrt(lower / n) + std::sqrt(upper / m)};
  }
  if (!best || best->distance <= 2.5 * best->spread || best->distance == 0) return std::nullopt;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(best->at);
  return Clusters{{sorted.begin(), middle}, {middle, sorted.end()}};
}

}  // namespace tilecast
