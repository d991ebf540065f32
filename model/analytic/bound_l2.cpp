#include <algorithm>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {
namespace {

// Of one SM's way to L2, as S6 (H200 loops of stores of one SM).
constexpr double store_bytes_per_cycle = 32;

// A store takes L2 a whole sector for each one that a warp instruction touches, however little of it.
Bytes stored_sectors(const Phase& phase) {
  constexpr Bytes sector{32};
  return std::max(phase.stored, phase.active_warps * phase.warp.global_store.sectors * sector);
}

}  // namespace

// A4. What all running blocks ask of L2, at the bandwidth of the whole device, or those of the busiest SM at
// its own.
Seconds l2_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  if (!machine.l2_read) return Seconds{};
  const Bytes fetched = traffic.l2_read_share * phase.fetched;
  const Bytes stored = traffic.l2_write_share * stored_sectors(phase);
  const double all = wave.blocks, own = wave.blocks_per_sm;
  Seconds read = all * fetched / *machine.l2_read;
  if (machine.sm_l2_read) read = std::max(read, own * fetched / *machine.sm_l2_read);
  const Seconds write = std::max(all * stored / traffic.l2_write.value_or(*machine.l2_write),
                                 Cycles{(own * stored).value() / store_bytes_per_cycle} / machine.clock);
  return read + write;
}

}  // namespace tilecast::analytic
