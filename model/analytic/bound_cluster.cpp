#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// A17. One block: everybody's stores before a barrier of the cluster must be visible. After it all blocks
// read each other's shared memory at once: rounds of reads that depend on each other, and all data at the
// pace of the SM's way there; all wait for the slowest.
Seconds cluster_waits(const Phase& phase, const Machine& machine) {
  if (!machine.cluster_latency) return Seconds{};
  const Cycles barriers =
      phase.cluster_barriers * machine.cluster_barrier + phase.cluster_barriers_behind * machine.fence_behind;
  const Seconds reads =
      phase.cluster_reads * *machine.cluster_latency / machine.clock + cluster_transfer(phase, machine);
  return barriers / machine.clock + machine.cluster_slowest * reads;
}

Seconds cluster_transfer(const Phase& phase, const Machine& machine) {
  if (machine.cluster_bytes_per_cycle <= 0) return Seconds{};
  return Cycles{phase.cluster_bytes.value() / machine.cluster_bytes_per_cycle} / machine.clock;
}

}  // namespace tilecast::analytic
