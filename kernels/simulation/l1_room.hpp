#pragma once
// The size of L1 beside a kernel's shared memory (EQUATIONS.md S15).

#include "kernels/sass/l1_hits.hpp"
#include "model/device/device_profile.hpp"
#include "model/workload/launch_shape.hpp"

namespace tilecast {

// Bytes of an SM's L1, and the number of the launch's blocks that share it at a time.
sass::L1Room l1_room(const LaunchShape& launch, const DeviceProfile& device);

}  // namespace tilecast
