#pragma once
// How the blocks of a grid pass through the SMs (EQUATIONS.md A9, O1).

#include <array>
#include <cstdint>

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// Blocks that run at the same time.
struct Wave {
  double count = 0;          // how many such waves follow each other; 0: none
  double blocks_per_sm = 0;  // on the busiest SM
  double active_sms = 0;
  double blocks = 0;  // on the whole device
};

// A9, S9. Blocks in a cluster up to which its tail finds room as lone blocks do, where pairs of them end.
constexpr int small_cluster = 4;

// Full waves, then the tail. Throws InputError when one block does not fit.
std::array<Wave, 2> waves_of(const KernelDescription& kernel, const DeviceProfile& device);

}  // namespace tilecast::analytic
