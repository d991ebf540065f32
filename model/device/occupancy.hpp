#pragma once
// How many blocks one SM holds at once, as exact integers (EQUATIONS.md O1; the driver's own rule).

#include <string_view>

#include "model/device/device_profile.hpp"
#include "model/workload/launch_shape.hpp"

namespace tilecast {

struct Occupancy {
  std::int64_t blocks_per_sm = 0;  // 0: one block already does not fit
  std::string_view limiter;        // "threads", "blocks", "registers", "shared"
  std::int64_t waves = 0;          // ceil(blocks / (SMs x blocks_per_sm)); 0 when it does not fit
};

Occupancy occupancy(const LaunchShape& launch, const DeviceProfile& device);

// Warps that one scheduler holds at once, by threads and its own part of the registers.
std::int64_t warps_a_scheduler(const LaunchShape& launch, const DeviceProfile& device);

// Registers a thread, at most, with which so many blocks fit on an SM by registers: granted a warp at a time,
// 8 a thread, from the quarter of the SM that the warp runs on (compute capability 5.0 and later).
std::int64_t most_registers(std::int64_t blocks, std::int64_t threads, std::int64_t registers_per_sm);

}  // namespace tilecast
