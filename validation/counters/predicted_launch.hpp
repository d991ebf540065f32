#pragma once
// What the analytic model says of a launch where a profiler has counted it (recorded_counters.hpp).

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast {

// Of a launch that finds in the caches what those before left.
struct PredictedLaunch {
  double dram_read_bytes = 0, dram_written_bytes = 0;
  double sectors_read = 0;      // of 32 bytes, by the SMs from L2
  double issue_slots_used = 0;  // of all schedulers' cycles in its whole time, as a fraction
};

// Throws what analytic::predict throws.
PredictedLaunch predicted_launch(const KernelDescription& kernel, const DeviceProfile& device);

}  // namespace tilecast
