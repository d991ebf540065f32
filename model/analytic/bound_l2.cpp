#include <algorithm>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {
namespace {

// A store takes L2 a whole sector for each one that a warp instruction touches, however little of it.
Bytes stored_sectors(const Phase& phase) {
  constexpr Bytes sector{32};
  return std::max(phase.stored, phase.active_warps * phase.warp.global_store.sectors * sector);
}

}  // namespace

// A4. What all running blocks ask of L2, at the bandwidth of the whole device.
Seconds l2_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  if (!machine.l2_read) return Seconds{};
  return wave.blocks * traffic.l2_read_share * phase.fetched / *machine.l2_read +
         wave.blocks * traffic.l2_write_share * stored_sectors(phase) /
             traffic.l2_write.value_or(*machine.l2_write);
}

}  // namespace tilecast::analytic
