#pragma once
// S4 (EQUATIONS.md). Shared memory and L1 lie in one store of two halves. Copies through L1 to the half in
// which L1 lies, the upper one, take longer.

#include <cstdint>

#include "model/device/device_profile.hpp"

namespace tilecast::sim {

// The share of what copies write to shared memory that lies in L1's half: of a block alone on its SM, which
// lies at the beginning, and of several, on average over the places that blocks get.
struct InL1Half {
  double alone = 0, several = 0;
  double of(std::int64_t resident) const { return resident > 1 ? several : alone; }
};

// `shared`: static and dynamic, of a block; 0 where it has none, and `device` is not looked at.
InL1Half in_l1_half(Bytes shared, const DeviceProfile& device);

}  // namespace tilecast::sim
