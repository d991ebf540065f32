#include <algorithm>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

bool waits_for_itself(const Phase& phase) {
  return phase.fetch_distance == 0 && phase.fetched > Bytes{};
}

// A6. A request takes an L2 hit's time, or DRAM's where it misses; the mean over the kernel's requests. With
// requests made d trips ahead, d trips come back in one latency (Little's law). A latency that the profile
// lacks counts as zero.
Waiting latency_time(const Phase& phase, const Traffic& traffic, const Machine& machine) {
  const Cycles hit = machine.l2_latency.value_or(Cycles{});
  const Cycles miss = std::max(hit, machine.dram_latency.value_or(hit));
  const double missed = traffic.dram_read_share;
  const Seconds latency = ((1 - missed) * hit + missed * miss) / machine.clock;
  Waiting w;
  w.exposed =
      (waits_for_itself(phase) ? std::max(1.0, phase.exposed_latencies) : phase.exposed_latencies) * latency;
  if (phase.fetch_distance > 0 && phase.fetched > Bytes{})
    w.round_trip = latency / static_cast<double>(phase.fetch_distance);
  return w;
}

// A6. Nothing of the kernel is left to hide the way of its last stores.
Seconds drain_time(const KernelDescription& kernel, const Machine& machine) {
  const bool stores =
      std::ranges::any_of(kernel.phases, [](const Phase& phase) { return phase.stored > Bytes{}; });
  return stores ? machine.store_drain.value_or(Seconds{}) : Seconds{};
}

}  // namespace tilecast::analytic
