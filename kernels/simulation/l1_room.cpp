#include "kernels/simulation/l1_room.hpp"

#include <algorithm>
#include <cmath>

#include "model/device/occupancy.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast {

// S15. L1 has what shared memory leaves of their common store, which is 28 KB larger than the largest shared
// memory (cc 8.x and 9.0: CUDA C++ Programming Guide, technical specifications). Kernels with shared memory
// are launched with the largest carve-out (prepare_shared_memory), whatever their blocks take.
sass::L1Room l1_room(const LaunchShape& launch, const DeviceProfile& device) {
  constexpr double beyond_shared = stand_in::l1_beside_shared.value();
  const auto resident = static_cast<int>(std::max<double>(
      1, std::min<double>(
             static_cast<double>(occupancy(launch, device).blocks_per_sm),
             std::ceil(static_cast<double>(launch.blocks) / static_cast<double>(device.sm_count.get())))));
  if (launch.shared.value() > 0) return {beyond_shared, resident};
  const double taken = resident * device.shared_reserved_per_block.value_or(Bytes{}).value();
  const double room = device.shared_per_sm.get().value() + beyond_shared - taken;
  return {room, resident};
}

}  // namespace tilecast
