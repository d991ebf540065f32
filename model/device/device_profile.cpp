#include "model/device/device_profile.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast {

double interpolate(const Curve& curve, double x) {
  if (!curve.present()) throw UnavailableError("a curve of the device profile is absent");
  if (x <= curve.x.front()) return curve.y.front();
  if (x >= curve.x.back()) return curve.y.back();
  const auto above = static_cast<std::size_t>(
      std::distance(curve.x.begin(), std::upper_bound(curve.x.begin(), curve.x.end(), x)));
  const double x0 = curve.x[above - 1], x1 = curve.x[above];
  const double y0 = curve.y[above - 1], y1 = curve.y[above];
  // Footprints and bytes in flight are sampled in octaves: log2 makes them evenly spaced.
  const double t = std::log2(x / x0) / std::log2(x1 / x0);
  return y0 + t * (y1 - y0);
}

// P1: N_FMA = latency x lanes (x 2 where flops are counted), Chang et al. section 2.
double derived_n_fma(const DeviceProfile& device, int flops_per_fma) {
  return device.dram_latency.get().value() * static_cast<double>(device.fp32_lanes_per_sm.get()) *
         flops_per_fma;
}

// P2: V_s = bandwidth x latency, with the peak bandwidth and the SM clock as Chang et al. take them.
Bytes derived_v_s(const DeviceProfile& device) {
  const Seconds latency = device.dram_latency.get() / device.sm_clock.get();
  return device.dram_peak.get() * latency;
}

}  // namespace tilecast
