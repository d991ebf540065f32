#include "model/sim/l1_half.hpp"

#include "model/device/stand_ins.hpp"

namespace tilecast::sim {

InL1Half in_l1_half(Bytes shared, const DeviceProfile& device) {
  if (shared <= Bytes{}) return {};
  const Bytes of_sm = device.shared_per_sm.get(), half = (of_sm + stand_in::l1_beside_shared) / 2;
  const Bytes taken = shared + device.shared_reserved_per_block.value_or(Bytes{});
  // Alone: at the beginning each time, if a kernel without shared memory ran before. Of several the next
  // block lies behind the last one, round and round, also in the next launch.
  return {.alone = taken > half ? 1 - half / taken : 0, .several = 1 - half / of_sm};
}

}  // namespace tilecast::sim
