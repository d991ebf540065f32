#pragma once
// From samples to values: medians, bootstrap intervals, slopes, plateaus and where a curve reaches a fraction
// of its plateau. Host only and pure; tested on synthetic samples.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tilecast {

struct Interval {
  double low = 0, high = 0;
};

// 95 % percentile-bootstrap interval of the median (Efron 1979), from a fixed seed: the same samples give the
// same interval. Needs at least three samples.
std::optional<Interval> median_interval(std::span<const double> samples, int resamples = 1000);

// Without samples further than `limit` scaled median absolute deviations from the median (Leys et al. 2013
// name 3 as strict): an interrupt or a clock change in one repeat is not a property of the GPU.
std::vector<double> without_outliers(std::span<const double> samples, double limit = 5);

// (y1 - y0) / (x1 - x0): what is common to both windows (clock reads, loop, drain) cancels. x1 != x0.
double slope(double x0, double y0, double x1, double y1);

// The same repeat by repeat, for as many as both have.
std::vector<double> slopes(double x0, std::span<const double> y0, double x1, std::span<const double> y1);

// Which of these sets of samples, none empty, has the highest median; the first of equals. At least one set.
std::size_t highest_median(std::span<const std::vector<double>> sets);

// Samples of a load while it runs, without the first third: the way to the steady state.
std::vector<double> steady_part(std::vector<double> samples);

// Every number times `by`: seconds to cycles, rounds to operations.
std::vector<double> scaled(std::vector<double> samples, double by);

// Cycles of one of `accesses` in a round, from rounds a cycle.
std::vector<double> cycles_each(std::vector<double> rounds_per_cycle, double accesses);

// The largest median of three neighbouring points of a curve: one lucky point is not a plateau.
double plateau(std::span<const double> y);

// The nearest non-decreasing curve in the least-squares sense (pool adjacent violators).
std::vector<double> increasing(std::span<const double> y);

// The smallest x at which the curve, made non-decreasing and linear in log2(x) between points, reaches
// `level`. Absent when it never does, or when its first point already lies above: that would be a bound only.
std::optional<double> x_at_level(std::span<const double> x, std::span<const double> y, double level);

struct Clusters {
  std::vector<double> lower, upper;  // sorted
};

// The split of the samples into two with the least variance within (Otsu 1979), if both sides hold at least a
// tenth of them and their means lie further apart than 2.5 times the sum of their standard deviations (halves
// of a uniform distribution: 1.73 times, of a normal one: 1.32 times).
std::optional<Clusters> two_clusters(std::span<const double> samples);

}  // namespace tilecast
