#include <algorithm>

#include "model/analytic/bounds.hpp"
#include "model/analytic/overlap.hpp"

namespace tilecast::analytic {
namespace {

// A17. What the port of the SM that is read takes when a warp of each other block reads 16 bytes a lane: it
// sends twice as fast as it does while it reads as much itself.
double port_cycles_of_read(const Machine& machine) {
  constexpr double read_bytes = 32 * 16;
  return machine.cluster_bytes_per_cycle > 0
             ? (machine.cluster - 1) * read_bytes / (2 * machine.cluster_bytes_per_cycle)
             : 0;
}

}  // namespace

// A17. One block: everybody's stores before a barrier of the cluster must be visible. After it all blocks
// read each other's shared memory, one after the other in the same order, so that all ask the same SM at the
// same time; rounds of reads depend on each other, between which a warp has its own instructions (`chain`, of
// the phase) to do. The block's warps share the SM's port (A13); all of them queue at the first SM that is
// read, then come to the next ones one behind the other.
Seconds cluster_waits(const Phase& phase, Seconds chain, const Machine& machine) {
  if (!machine.cluster_latency) return Seconds{};
  const Cycles barriers =
      phase.cluster_barriers * machine.cluster_barrier + phase.cluster_barriers_behind * machine.fence_behind;
  const double warps = std::max(1.0, phase.cluster_warps), rounds = std::max(1.0, phase.cluster_reads);
  const double of_warp = (cluster_transfer(phase, machine) * machine.clock).value() / warps;
  const double instructions = (chain * machine.clock).value();
  const double there = phase.cluster_bytes > Bytes{} ? port_cycles_of_read(machine) : 0;
  const double alone =
      instructions + of_warp +
      phase.cluster_reads * (machine.cluster_latency->value() + std::max(0.0, there - of_warp / rounds));
  const double passes = phase.cluster_barriers / 2;  // each begins with everybody at the first SM
  const double reads = std::max(queued(warps, of_warp, alone), alone + passes * (warps - 1) * there);
  return (barriers + Cycles{reads - instructions}) / machine.clock;
}

Seconds cluster_transfer(const Phase& phase, const Machine& machine) {
  if (machine.cluster_bytes_per_cycle <= 0) return Seconds{};
  // Stores leave the SM by the same port.
  const double stored = phase.cluster_bytes > Bytes{} ? phase.stored.value() / store_port_bytes_per_cycle : 0;
  return Cycles{phase.cluster_bytes.value() / machine.cluster_bytes_per_cycle + stored} / machine.clock;
}

}  // namespace tilecast::analytic
