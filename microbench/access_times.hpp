#pragma once
// What the timed loads of a chase say: the time of each, near and far parts of a cache, latency over the load
// that others put on the memory. Pure; tested on made-up times.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilecast {

// Differences of successive readings of a 32-bit cycle counter, which may have wrapped between two of them.
std::vector<double> access_times(std::span<const std::uint32_t> readings);

// One SM's loads of the same lines twice over: the first time after all copies were dropped, so that each
// line is served by the part of the cache that owns it; the second time served by the nearest part that may
// hold a copy.
struct NearFar {
  std::vector<double> near;  // of all lines, second time
  // Of the lines whose first load took longer than the second by the larger of two clusters of differences
  // (two_clusters of reduction.hpp); empty when there is one cluster only, or they lie less than a tenth of
  // the near latency apart: no second partition.
  std::vector<double> far;
  std::vector<bool> is_far;  // by line; all false when there is one cluster only
};
NearFar near_and_far(std::span<const double> first, std::span<const double> second);

// The same from several repeats: samples[line][repeat] of both loads. Lines are told apart by their medians.
struct NearFarMeans {
  std::vector<double> near, far;  // over all lines, over those of the far part; by repeat
  bool sees_far() const { return !far.empty(); }
};
NearFarMeans near_and_far_means(std::span<const std::vector<double>> first,
                                std::span<const std::vector<double>> second);

// One setting of the streams: what they moved and what the chase met, one entry a repeat.
struct LoadedPoint {
  double bytes_in_flight = 0;               // whole device, nominal
  std::vector<double> bytes_per_s;          // streams and chase
  std::vector<double> mean, p10, p50, p90;  // cycles
};

// Index of each point that moved at least `gain` more than all points before it (medians over repeats): the
// rising part of the curve, where latency is a function of bandwidth. `points` by growing load.
std::vector<std::size_t> rising_part(std::span<const LoadedPoint> points, double gain = 0.005);

// y where x first reaches `level`, linear between points. Absent when x never does or begins above it.
std::optional<double> y_where_x_reaches(std::span<const double> x, std::span<const double> y, double level);

// For each repeat, `y` where the bandwidth first reaches `fraction` of that repeat's highest. `points` by
// growing load; all have the same number of repeats.
std::vector<double> latency_at_load(std::span<const LoadedPoint> points, std::vector<double> LoadedPoint::*y,
                                    double fraction);

}  // namespace tilecast
