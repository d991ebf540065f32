#include <algorithm>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {
namespace {

// Stand-ins, as in S12: a fence with nothing under way, and from a cluster barrier's last arrival to its
// release (H200 loops of fences and of cluster barriers).
constexpr Cycles fence{266}, release{75};
constexpr double cluster_bytes_per_cycle = 15.5;  // of one SM

}  // namespace

// A17. One block: everybody's stores before a barrier of the cluster must be visible; reads of other blocks'
// shared memory depend on each other, or come as fast as the SM's way to them lets them.
Seconds cluster_waits(const Phase& phase, const Machine& machine) {
  if (!machine.cluster_latency) return Seconds{};
  const Seconds reads = phase.cluster_reads * *machine.cluster_latency / machine.clock;
  return phase.cluster_barriers * (fence + release) / machine.clock +
         std::max(reads, cluster_transfer(phase, machine));
}

Seconds cluster_transfer(const Phase& phase, const Machine& machine) {
  return Cycles{phase.cluster_bytes.value() / cluster_bytes_per_cycle} / machine.clock;
}

}  // namespace tilecast::analytic
