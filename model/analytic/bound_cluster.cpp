#include <algorithm>

#include "model/analytic/bounds.hpp"
#include "model/analytic/overlap.hpp"

namespace tilecast::analytic {

// A17. One block: everybody's stores before a barrier of the cluster must be visible. After it all blocks
// read each other's shared memory at once, rounds of reads that depend on each other; the block's warps share
// the SM's way there (A13). All wait for the slowest block.
Seconds cluster_waits(const Phase& phase, const Machine& machine) {
  if (!machine.cluster_latency) return Seconds{};
  const Cycles barriers =
      phase.cluster_barriers * machine.cluster_barrier + phase.cluster_barriers_behind * machine.fence_behind;
  const double warps = std::max(1.0, phase.cluster_warps);
  const double of_warp = (cluster_transfer(phase, machine) * machine.clock).value() / warps;
  const double alone = phase.cluster_reads * machine.cluster_latency->value() + of_warp;
  return (barriers + Cycles{machine.cluster_slowest * overlapped(warps, of_warp, alone)}) / machine.clock;
}

Seconds cluster_transfer(const Phase& phase, const Machine& machine) {
  if (machine.cluster_bytes_per_cycle <= 0) return Seconds{};
  // Stores leave the SM by the same port.
  const double stored = phase.cluster_bytes > Bytes{} ? phase.stored.value() / store_port_bytes_per_cycle : 0;
  return Cycles{phase.cluster_bytes.value() / machine.cluster_bytes_per_cycle + stored} / machine.clock;
}

}  // namespace tilecast::analytic
