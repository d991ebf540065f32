#pragma once
// A kernel of round numbers, for tests, beside the device of round_device.hpp, and every bound switched on.

#include "model/analytic/combine.hpp"
#include "model/device/round_device.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast {

// Eight warps, each with 100 FFMA, 10 shared loads of 40 wavefronts and 20 integer instructions a trip.
inline Phase round_phase() {
  Phase p;
  p.name = "loop";
  p.active_warps = 8;
  p.warp.ffma = 100;
  p.warp.shared_load.w128 = 10;
  p.warp.shared_load.wavefronts = 40;
  p.warp.integer = 20;
  return p;
}

inline KernelDescription round_kernel(std::int64_t blocks, double trips) {
  KernelDescription k;
  k.family = "round";
  k.launch = {.blocks = blocks, .threads = 256, .registers = 32};
  k.phases = {round_phase()};
  k.phases[0].trips = trips;
  return k;
}

namespace analytic {

inline Enabled all_enabled() {
  Enabled enabled;
  enabled.fill(true);
  return enabled;
}

}  // namespace analytic
}  // namespace tilecast
