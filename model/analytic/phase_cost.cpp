#include "model/analytic/phase_cost.hpp"

#include <algorithm>

#include "model/analytic/overlap.hpp"

namespace tilecast::analytic {
namespace {

// A14. Cycles of the SM's pipe that a warp's asynchronous copies take beyond those of their sectors.
double copy_cycles(const GlobalAccess& copies, const Machine& machine) {
  const auto& beyond = machine.copy_beyond_sectors;
  return copies.w32 * beyond[0] + copies.w64 * beyond[1] + copies.w128 * beyond[2];
}

}  // namespace

PhaseCost cost_of(const Phase& phase, const Machine& machine, const Enabled& enabled) {
  PhaseCost cost{.around = code_cost(phase.code->around, machine, enabled),
                 .compute = code_cost(phase.code->compute, machine, enabled),
                 .window = {},
                 .rest = {},
                 .items = {},
                 .copies = {},
                 .before_copies = {}};
  if (enabled[index(BoundId::shared)]) {
    auto& copying = phase.code->around.issued > 0 ? cost.around : cost.compute;
    copying.pipe += copy_cycles(phase.warp.async_copy, machine);
  }
  if (phase.code->copying > 0) {
    CodeCounts before = phase.code->around;
    before.add(phase.code->copies, -phase.code->copying);
    before.chain_cycles = phase.code->around.chain_cycles - phase.code->copies.chain_cycles;
    cost.copies = code_cost(phase.code->copies, machine, enabled);
    cost.before_copies = code_cost(before, machine, enabled);
  }
  cost.rest = cost.compute;
  if (phase.code->before_stores.issued > 0) {
    CodeCounts rest = phase.code->compute;
    rest.add(phase.code->before_stores, -1);
    cost.window = code_cost(phase.code->before_stores, machine, enabled);
    cost.rest = code_cost(rest, machine, enabled);
    cost.later_windows = phase.code->windows - 1;
    rest.add(phase.code->before_stores, -cost.later_windows);
    cost.items = code_cost(rest, machine, enabled);
  }
  return cost;
}

double computing_warps(const Phase& phase, double blocks, const Machine& machine) {
  // Warps that do unequally much sit on the same schedulers in every block.
  if (phase.uneven) return blocks * phase.uneven->of_scheduler;
  return warps_on_busiest_scheduler(blocks * phase.active_warps, machine);
}

// Those that have no copies left wait for the others at the barrier. While a warp waits for its loads, others
// go on.
double around_cycles(const Phase& phase, const PhaseCost& cost, double warps, double waited,
                     const Machine& machine, const Enabled& enabled) {
  if (phase.code->copying <= 0) return segment_cycles(cost.around, warps, machine, enabled);
  CodeCost copies = cost.copies;
  copies.chain += waited;
  return segment_cycles(cost.before_copies, warps, machine, enabled) +
         segment_cycles(copies, std::max(1.0, phase.code->copying * warps), machine, enabled) - waited;
}

// If warps do unequally much, A13 counts the work in warps that do as much as the busiest one. For the stores
// beside the computation the warps queue as for a scheduler.
double computing_cycles(const Phase& phase, const PhaseCost& cost, double storing, const Machine& machine,
                        const Enabled& enabled) {
  if (phase.active_warps <= 0) return 0;
  const double more = phase.uneven ? phase.uneven->of_warp : 1;
  const double on_scheduler = computing_warps(phase, 1, machine);
  const double warps = phase.active_warps / more, busiest = on_scheduler / more;
  const double before = segment_cycles(cost.window, phase.active_warps, machine, enabled);
  const double apart = more * cycles_of_warps(cost.rest, warps, busiest, enabled);
  double rest = apart;
  if (cost.later_windows > 0) {
    // The warp with most windows is with those that still have one.
    const double later = more * phase.code->windows - 1, have = cost.later_windows / later;
    const double window = cycles_of_warps(cost.window, std::max(1.0, have * phase.active_warps),
                                          std::max(1.0, have * on_scheduler), enabled);
    rest = std::max(apart, later * window + more * cycles_of_warps(cost.items, warps, busiest, enabled));
  }
  if (storing <= 0) return before + rest;
  double beside = std::max(rest, storing);
  if (enabled[index(BoundId::overlap)]) {
    const Queue queues[] = {
        {busiest, cost.rest.service()}, {warps, cost.rest.pipe}, {warps, storing / phase.active_warps, true}};
    beside = more * queued_at(queues, cost.rest.chain + (rest - apart) / more);
  }
  const double first = rest / std::max(1.0, phase.stores_apart);
  return before + std::max(beside, first + storing);
}

double asking_share(const Phase& phase, const PhaseCost& cost, double warps, const Machine& machine,
                    const Enabled& enabled) {
  const auto& w = phase.warp;
  const double requests = phase.active_warps * (w.async_copy.instructions() + w.global_load.instructions());
  if (requests <= 0 || requests >= warps) return 1;
  const double all = segment_cycles(cost.around, warps, machine, enabled);
  if (all <= 0) return 1;
  return segment_cycles(cost.around, requests, machine, enabled) / all;
}

}  // namespace tilecast::analytic
