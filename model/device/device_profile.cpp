#include "model/device/device_profile.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast {

namespace {

using Values = std::vector<double>;

double along_curve(const Values& xs, const Values& ys, double x) {
  if (x <= xs.front()) return ys.front();
  if (x >= xs.back()) return ys.back();
  const auto above =
      static_cast<std::size_t>(std::distance(xs.begin(), std::upper_bound(xs.begin(), xs.end(), x)));
  const double x0 = xs[above - 1], x1 = xs[above];
  const double y0 = ys[above - 1], y1 = ys[above];
  // Footprints and bytes in flight are sampled in octaves: log2 makes them evenly spaced.
  const double t = std::log2(x / x0) / std::log2(x1 / x0);
  return y0 + t * (y1 - y0);
}

void expect_present(const Curve& curve) {
  if (!curve.present()) throw UnavailableError("a curve of the device profile is absent");
}

// Where `x` lies between two neighbours of an ascending axis: from 0 at `below` to 1 at `above`.
struct Between {
  std::size_t below = 0, above = 0;
  double fraction = 0;
};

Between between(const std::vector<double>& axis, double x) {
  if (x <= axis.front()) return {};
  if (x >= axis.back()) return {axis.size() - 1, axis.size() - 1, 0};
  const auto above =
      static_cast<std::size_t>(std::distance(axis.begin(), std::upper_bound(axis.begin(), axis.end(), x)));
  return {above - 1, above, (x - axis[above - 1]) / (axis[above] - axis[above - 1])};
}

std::size_t nearest_by_ratio(const std::vector<double>& axis, double x) {
  const auto distance = [x](double a) { return std::abs(std::log2(a / x)); };
  return static_cast<std::size_t>(std::distance(
      axis.begin(), std::min_element(axis.begin(), axis.end(),
                                     [&](double a, double b) { return distance(a) < distance(b); })));
}

void expect_present(const Table2D& table) {
  if (!table.present()) throw UnavailableError("a table of the device profile is absent");
}

}  // namespace

PointSpread point_spread(const Values& y, const Values& y_low, const Values& y_high) {
  if (y_low.size() != y.size() || y_high.size() != y.size()) return {};
  double below = 0, above = 0;
  int points = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!(y[i] > 0)) continue;
    below += std::pow(1 - y_low[i] / y[i], 2);
    above += std::pow(y_high[i] / y[i] - 1, 2);
    ++points;
  }
  if (points == 0) return {};
  return {1 - std::sqrt(below / points), 1 + std::sqrt(above / points)};
}

double interpolate(const Curve& curve, double x) {
  expect_present(curve);
  return along_curve(curve.x, curve.y, x);
}

double nearest(const Table2D& table, double row, double column) {
  expect_present(table);
  return table
      .y[nearest_by_ratio(table.rows, row) * table.columns.size() + nearest_by_ratio(table.columns, column)];
}

double interpolate(const Table2D& table, double row, double column) {
  expect_present(table);
  const Between r = between(table.rows, row), c = between(table.columns, column);
  const auto along = [&](std::size_t i) {
    const double* y = &table.y[i * table.columns.size()];
    return y[c.below] + c.fraction * (y[c.above] - y[c.below]);
  };
  return along(r.below) + r.fraction * (along(r.above) - along(r.below));
}

// P2: V_s = bandwidth x latency, with the peak bandwidth and the SM clock as Chang et al. take them.
Bytes derived_v_s(const DeviceProfile& device) {
  const Seconds latency = device.dram_latency.get() / device.sm_clock.get();
  return device.dram_peak.get() * latency;
}

}  // namespace tilecast
