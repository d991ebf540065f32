#pragma once
// Where a curve that is flat and then rises on a straight line leaves the flat part: how much work hides a
// latency. Host only and pure; tested on synthetic curves.

#include <optional>
#include <span>
#include <vector>

namespace tilecast {

// y = max(flat, offset + slope x).
struct Knee {
  double x = 0;  // where the two lines meet: (flat - offset) / slope
  double flat = 0, offset = 0, slope = 0;
};

// Two-segment least squares, the segments joined: flat part, knee and slope of least squared error. Then once
// more without the points within a factor of 1.5 of that knee, if enough are left: a latency that varies
// rounds the corner, and what lies there belongs to neither line. At least two points are flat and three
// rise. Absent with fewer than five points, when the line does not rise, when the flat part rises more than a
// quarter as steeply, or when the knee is at the edge of what the points allow: then the sweep did not reach
// far enough to either side.
std::optional<Knee> knee_of(std::span<const double> x, std::span<const double> y);

// One knee a repeat: samples[i] are the repeats at x[i], equally many everywhere. Repeats without a knee are
// left out. The bootstrap interval of the result's median (reduction.hpp) is the knee's interval.
std::vector<double> knees_by_repeat(std::span<const double> x, std::span<const std::vector<double>> samples);

}  // namespace tilecast
