#pragma once
// S4 (EQUATIONS.md). Shared memory and L1 lie in one store of two halves. Copies through L1 to the half in
// which L1 lies, the upper one, take longer.

#include "model/device/device_profile.hpp"

namespace tilecast::sim {

// The share of a block's shared memory that lies in L1's half, on average over the places that blocks get.
// `shared`: static and dynamic, of a block (0: it has none); `resident`: blocks that an SM has at once.
double shared_in_l1_half(Bytes shared, int resident, const DeviceProfile& device);

}  // namespace tilecast::sim
