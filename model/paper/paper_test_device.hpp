#pragma once
// The GTX 1080 Ti of the paper's Table 1, for tests.

#include "model/device/device_profile.hpp"

namespace tilecast {

inline DeviceProfile gtx_1080_ti() {
  DeviceProfile d;
  d.name = "gtx-1080-ti";
  d.compute_capability_major = 6;
  d.compute_capability_minor = 1;
  d.sm_count.set(28);
  d.fp32_lanes_per_sm.set(128);
  d.registers_per_sm.set(65536);
  d.shared_per_sm.set(Bytes{96 * 1024});
  d.base_clock.set(Frequency{1.48e9});
  d.dram_peak.set(Bandwidth{484e9});
  ParameterInfo latency;
  latency.alternatives.push_back({415, {SourceKind::published, "a second source"}});
  d.dram_latency.set(Cycles{258}, latency);
  return d;
}

}  // namespace tilecast
