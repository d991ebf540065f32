#include "model/sim/l1_half.hpp"

#include "model/device/stand_ins.hpp"

namespace tilecast::sim {

double shared_in_l1_half(Bytes shared, int resident, const DeviceProfile& device) {
  if (shared <= Bytes{}) return 0;
  const Bytes of_sm = device.shared_per_sm.get(), half = (of_sm + stand_in::l1_beside_shared) / 2;
  // The next block lies behind the last one, round and round, also in the next launch.
  if (resident > 1) return 1 - half / of_sm;
  // One that is alone lies at the beginning each time, if a kernel without shared memory ran before.
  const Bytes taken = shared + device.shared_reserved_per_block.value_or(Bytes{});
  return taken > half ? 1 - half / taken : 0;
}

}  // namespace tilecast::sim
