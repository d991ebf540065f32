#include "model/analytic/combine.hpp"

#include <algorithm>

namespace tilecast::analytic {

TripBounds trip_bounds(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine,
                       const Enabled& enabled) {
  const auto on = [&](BoundId id) { return enabled[index(id)]; };
  TripBounds t;
  if (on(BoundId::fma)) {
    t.fma = fma_cycles(phase, wave.blocks_per_sm, machine) / machine.clock;
    t.own_fma = fma_cycles(phase, 1, machine) / machine.clock;
  }
  if (on(BoundId::issue)) {
    t.issue = issue_cycles(phase, wave.blocks_per_sm, machine) / machine.clock;
    t.own_issue = issue_cycles(phase, 1, machine) / machine.clock;
  }
  if (on(BoundId::shared)) {
    t.shared = shared_cycles(phase, wave.blocks_per_sm, machine) / machine.clock;
    t.own_shared = shared_cycles(phase, 1, machine) / machine.clock;
  }
  if (on(BoundId::l2)) t.l2 = l2_time(phase, wave, traffic, machine);
  if (on(BoundId::dram)) t.dram = dram_time(phase, wave, traffic, machine);
  t.own_l2 = t.l2 / wave.blocks_per_sm;
  t.own_dram = t.dram / wave.blocks_per_sm;
  if (on(BoundId::latency)) t.waiting = latency_time(phase, traffic, machine);
  if (on(BoundId::barrier)) t.barrier = barrier_time(phase, machine);
  t.takes_turns = waits_for_itself(phase);
  return t;
}

// A10. The longer of what the busiest shared resource needs for all blocks and of one block's own chain. In
// the chain arithmetic overlaps memory only if the data were asked for in an earlier trip; exposed latencies
// and barriers always add.
Seconds trip_time(const TripBounds& t) {
  const Seconds resources = std::max({t.fma, t.issue, t.shared, t.l2, t.dram});
  const Seconds arithmetic = std::max({t.own_fma, t.own_issue, t.own_shared});
  const Seconds memory = std::max(t.own_l2, t.own_dram);
  const Seconds overlapped =
      t.takes_turns ? arithmetic + memory : std::max({arithmetic, memory, t.waiting.round_trip});
  return std::max(resources, overlapped + t.waiting.exposed + t.barrier);
}

TripBounds scaled(const TripBounds& bounds, const Factors& factors) {
  const auto factor = [&](BoundId id) { return factors[index(id)]; };
  TripBounds t = bounds;
  t.fma = factor(BoundId::fma) * t.fma;
  t.own_fma = factor(BoundId::fma) * t.own_fma;
  t.issue = factor(BoundId::issue) * t.issue;
  t.own_issue = factor(BoundId::issue) * t.own_issue;
  t.shared = factor(BoundId::shared) * t.shared;
  t.own_shared = factor(BoundId::shared) * t.own_shared;
  t.l2 = factor(BoundId::l2) * t.l2;
  t.own_l2 = factor(BoundId::l2) * t.own_l2;
  t.dram = factor(BoundId::dram) * t.dram;
  t.own_dram = factor(BoundId::dram) * t.own_dram;
  t.waiting.exposed = factor(BoundId::latency) * t.waiting.exposed;
  t.waiting.round_trip = factor(BoundId::latency) * t.waiting.round_trip;
  t.barrier = factor(BoundId::barrier) * t.barrier;
  return t;
}

}  // namespace tilecast::analytic
