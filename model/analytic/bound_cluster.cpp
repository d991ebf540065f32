#include <algorithm>

#include "model/analytic/bounds.hpp"
#include "model/analytic/overlap.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast::analytic {

// A17. Time that one block spends in a trip on summing its tile over the cluster: the cluster's barriers,
// then the reads of the other blocks' shared memory. The sum is read share by share, each in rounds that
// depend on each other. The block's warps share the SM's port to the cluster; while it transfers, the next
// share's rounds and the warps' own instructions go on. The phase's `chain` already contains these
// instructions, of all warps, and the rounds at the latency of the block's own shared memory, so both are
// subtracted. If `blocks` blocks of the SM sum at the same time, they share the port and the result is that
// of the last one.
Seconds cluster_waits(const Phase& phase, Seconds chain, const Machine& machine, double blocks) {
  constexpr double instructions_a_share = 183;  // H200, cycles of a warp alone (experiments/split_sums.csv)
  constexpr double own_latency = 47;  // S4, cycles: operands read after 11, 4 wavefronts, data after 32
  if (!machine.cluster_latency) return Seconds{};
  const Cycles barriers =
      phase.cluster_barriers * machine.cluster_barrier + phase.cluster_barriers_behind * machine.fence_behind;
  const double transfer = (cluster_transfer(phase, machine) * machine.clock).value();
  const double in_chain = (chain * machine.clock).value();
  const double instructions = std::min(phase.cluster_shares * instructions_a_share, in_chain);
  const double alone = instructions + transfer / std::max(1.0, phase.cluster_warps) +
                       phase.cluster_reads * machine.cluster_latency->value();
  // Every pass ends with a barrier, so that only the shares of one pass overlap.
  const double shares_of_pass = phase.cluster_shares / std::max(1.0, phase.cluster_barriers / 2);
  // If a single warp reads, its own bytes are already in `alone`.
  const double others = phase.cluster_warps > 1 ? blocks : blocks - 1;
  const double reads = pipelined(shares_of_pass, others * transfer, alone);
  // The chain is of all warps, which share schedulers and pipe and so stretch any part of one warp's alike.
  const double of_warp = phase.code->around.chain_cycles + phase.code->compute.chain_cycles;
  const double stretch = of_warp > 0 ? std::max(1.0, in_chain / of_warp) : 1;
  const double there = std::min(in_chain, stretch * (instructions + phase.cluster_reads * own_latency));
  return (barriers + Cycles{reads - there}) / machine.clock;
}

Seconds cluster_transfer(const Phase& phase, const Machine& machine) {
  if (machine.cluster_bytes_per_cycle <= 0) return Seconds{};
  // Global stores leave the SM through the same port.
  const double stored =
      phase.cluster_bytes > Bytes{} ? phase.stored.value() / stand_in::store_port_bytes_per_cycle : 0;
  return Cycles{phase.cluster_bytes.value() / machine.cluster_bytes_per_cycle + stored} / machine.clock;
}

}  // namespace tilecast::analytic
