#include "model/analytic/staged_stores.hpp"

#include <algorithm>

#include "model/analytic/bounds.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {

StoreCounts store_counts(const Phase& phase) {
  const auto& store = phase.warp.global_store;
  const double sectors = std::max(phase.active_warps * store.sectors, phase.stored / Bytes{sector_bytes});
  return {sectors, sectors + phase.active_warps * (store.masks.value_or(0) - store.joined)};
}

StorePauses store_pauses(const Phase& phase, double barriers, Seconds meeting, const Machine& machine) {
  constexpr double barriers_of_pause = 2;
  const double count = barriers / barriers_of_pause;
  if (count <= 0 || !stores_in_passes(phase)) return {};
  // The first pass has no pause before it.
  const double wavefronts = phase.active_warps * phase.warp.shared_store.wavefronts / (count + 1);
  const Cycles through_shared =
      Cycles{wavefronts / machine.wavefronts_per_cycle} + machine.shared_latency.value_or(Cycles{});
  return {count, 1 / count * meeting + through_shared / machine.clock};
}

Seconds time_with_pauses(const StoreCounts& stores, const StorePauses& pauses, Seconds write, Seconds port) {
  const Seconds hidden = stand_in::open_sectors / stores.sectors * port;
  return std::max(write, port + pauses.count * (pauses.each - std::min(pauses.each, hidden)));
}

}  // namespace tilecast::analytic
