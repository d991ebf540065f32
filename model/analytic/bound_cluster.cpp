#include <algorithm>

#include "model/analytic/bounds.hpp"
#include "model/analytic/overlap.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast::analytic {

// A17. One block: everybody's stores before a barrier of the cluster must be visible. After it all blocks
// read each other's shared memory, shares of the sum one after the other, each in rounds of reads that depend
// on each other. The block's warps share the SM's port, beside which the next share's rounds and a warp's own
// instructions go on; these are in the phase's `chain`, too, as are the rounds with what shared memory of the
// block's own takes.
Seconds cluster_waits(const Phase& phase, Seconds chain, const Machine& machine, double blocks) {
  constexpr double instructions_a_share = 183;  // H200, cycles of a warp alone (experiments/split_sums.csv)
  constexpr double own_latency = stand_in::shared_latency.value();
  if (!machine.cluster_latency) return Seconds{};
  const Cycles barriers =
      phase.cluster_barriers * machine.cluster_barrier + phase.cluster_barriers_behind * machine.fence_behind;
  const double transfer = (cluster_transfer(phase, machine) * machine.clock).value();
  const double in_chain = (chain * machine.clock).value();
  const double instructions = std::min(phase.cluster_shares * instructions_a_share, in_chain);
  const double alone = instructions + transfer / std::max(1.0, phase.cluster_warps) +
                       phase.cluster_reads * machine.cluster_latency->value();
  const double reads = pipelined(phase.cluster_shares, blocks * transfer, alone);
  const double there = std::min(instructions + phase.cluster_reads * own_latency, in_chain);
  return (barriers + Cycles{reads - there}) / machine.clock;
}

Seconds cluster_transfer(const Phase& phase, const Machine& machine) {
  if (machine.cluster_bytes_per_cycle <= 0) return Seconds{};
  // Stores leave the SM by the same port.
  const double stored =
      phase.cluster_bytes > Bytes{} ? phase.stored.value() / stand_in::store_port_bytes_per_cycle : 0;
  return Cycles{phase.cluster_bytes.value() / machine.cluster_bytes_per_cycle + stored} / machine.clock;
}

}  // namespace tilecast::analytic
