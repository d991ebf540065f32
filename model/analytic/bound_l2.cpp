#include <algorithm>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {
namespace {

// What a phase stores, as bytes of whole sectors that would take as long. A sector counts whole for each warp
// instruction that touches it, and more where that fills it in part, half of it on average: of sectors filled
// to f, 2 (1 - f).
Bytes stored_sectors(const Phase& phase, double cost_of_partial) {
  constexpr Bytes sector{32};
  const Bytes touched = phase.active_warps * phase.warp.global_store.sectors * sector;
  if (touched <= phase.stored) return phase.stored;
  const double partial = std::min(1.0, 2 * (1 - phase.stored / touched));
  return (1 + (cost_of_partial - 1) * partial) * touched;
}

}  // namespace

// A4. What all running blocks ask of L2, at the bandwidth of the whole device, or those of the busiest SM at
// its own.
Seconds l2_read_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  if (!machine.l2_read) return Seconds{};
  const Bytes fetched = traffic.l2_read_share * phase.fetched;
  const Seconds read = wave.blocks * fetched / (traffic.read_together * *machine.l2_read);
  if (!machine.sm_l2_read) return read;
  return std::max(read, wave.blocks_per_sm * fetched / *machine.sm_l2_read);
}

Seconds l2_write_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  if (!machine.l2_read || phase.stored <= Bytes{}) return Seconds{};
  const double all = wave.blocks, own = wave.blocks_per_sm;
  const Bytes to_l2 = all * traffic.l2_write_share * stored_sectors(phase, machine.partial_sector.l2);
  const Bytes by_sm = own * traffic.l2_write_share * stored_sectors(phase, machine.partial_sector.port);
  return std::max(to_l2 / traffic.l2_write.value_or(*machine.l2_write),
                  Cycles{by_sm.value() / store_port_bytes_per_cycle} / machine.clock);
}

Seconds l2_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  return l2_read_time(phase, wave, traffic, machine) + l2_write_time(phase, wave, traffic, machine);
}

}  // namespace tilecast::analytic
