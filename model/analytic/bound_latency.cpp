#include <algorithm>

#include "model/analytic/bounds.hpp"
#include "model/device/rates.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast::analytic {

bool waits_for_itself(const Phase& phase) {
  return phase.fetch_distance == 0 && phase.fetched > Bytes{};
}

double exposed_rounds(const Phase& phase) {
  return std::max(waits_for_itself(phase) ? 1.0 : 0.0, phase.exposed_latencies);
}

// A6. The latency is the mean over the kernel's requests: L2's, or DRAM's for those that miss L2. With
// requests issued d trips ahead, d trips complete per latency (Little's law). A latency that the profile
// lacks counts as zero.
Waiting latency_time(const Phase& phase, const Traffic& traffic, const Machine& machine) {
  const Cycles hit = machine.l2_latency.value_or(Cycles{});
  const Cycles miss = std::max(hit, machine.dram_latency.value_or(hit));
  const double missed = traffic.dram_read_share;
  const Seconds latency = ((1 - missed) * hit + missed * miss) / machine.clock;
  Waiting w;
  w.exposed = exposed_rounds(phase) * latency;
  if (phase.fetch_distance > 0 && phase.fetched > Bytes{})
    w.round_trip = latency / static_cast<double>(phase.fetch_distance);
  return w;
}

// A6. How much later a launch that stores ends. The profile's `store_drain` also contains the cycles that the
// probe's kernel takes until it has stored, and is for all SMs; fewer SMs drain sooner.
Seconds drain_time(const KernelDescription& kernel, const Machine& machine) {
  constexpr double until_stored = 210, more_on_all_sms = 75;  // cycles
  const bool stores =
      std::ranges::any_of(kernel.phases, [](const Phase& phase) { return phase.stored > Bytes{}; });
  if (!stores || !machine.store_drain) return Seconds{};
  // A cluster barrier behind the last stores has already waited for them (A17).
  if (!kernel.phases.empty() && kernel.phases.back().cluster_barriers_behind > 0) return Seconds{};
  if (!machine.profile->store_drain.present()) return *machine.store_drain;
  const double used = std::min(1.0, static_cast<double>(kernel.launch.blocks) / machine.sms);
  const Cycles sooner{until_stored + more_on_all_sms * (1 - used)};
  return std::max(Seconds{}, *machine.store_drain - sooner / machine.clock);
}

// S14, S17. What a launch's first load takes longer, and its first reads of constants.
Seconds first_access_time(const KernelDescription& kernel, const Machine& machine) {
  const bool fetches =
      std::ranges::any_of(kernel.phases, [](const Phase& phase) { return phase.fetched > Bytes{}; });
  const Seconds constants = kernel.constant_lines * stand_in::constant_line / machine.clock;
  if (!fetches || !machine.profile->store_drain.present()) return constants;
  return constants +
         first_access(std::min(machine.sms, static_cast<double>(kernel.launch.blocks))) / machine.clock;
}

}  // namespace tilecast::analytic
