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

bool stores_unevenly(const Wave& wave, const Traffic& traffic, const Machine& machine) {
  constexpr double even_up_to = 0.83;  // of the SMs (A4)
  return traffic.single_wave && wave.active_sms > even_up_to * machine.sms;
}

double limited_by_l2(double of_rate) {
  constexpr double even_below = 0.9;
  return std::clamp((of_rate - even_below) / (1 - even_below), 0.0, 1.0);
}

Seconds time_of_last_sm(Seconds write, Seconds with_pauses, Seconds own) {
  // SMs that store 96 KiB each (store_fairness.csv): share of L2's time until the median one ends, and share
  // of its stores that the last one has left then.
  constexpr double until_median = 0.87, left = 0.28;
  const Seconds late = until_median * write + left * own;
  return with_pauses + limited_by_l2(write / own) * (std::max(late, with_pauses) - with_pauses);
}

}  // namespace tilecast::analytic
