#pragma once
// What L1 has room for beside a kernel's shared memory (EQUATIONS.md S15).

#include "kernels/sass/l1_hits.hpp"
#include "model/device/device_profile.hpp"
#include "model/workload/launch_shape.hpp"

namespace tilecast {

// Bytes of an SM's L1, and the blocks that share them: as many as an SM holds at once, of those that it gets.
sass::L1Room l1_room(const LaunchShape& launch, const DeviceProfile& device);

}  // namespace tilecast
