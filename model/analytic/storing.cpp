#include "model/analytic/storing.hpp"

#include <algorithm>

#include "model/analytic/bounds.hpp"
#include "model/device/rates.hpp"

namespace tilecast::analytic {
namespace {

// Times that a block waits for global memory before it stores.
double loads_waited_for(const KernelDescription& kernel) {
  double waits = 0;
  for (std::size_t i = 0; i + 1 < kernel.phases.size(); ++i)
    waits += kernel.phases[i].trips * exposed_rounds(kernel.phases[i]);
  return waits;
}

// Times that a warp waits for shared memory before it stores, where its code is known.
double shared_loads_waited_for(const KernelDescription& kernel, const Machine& machine) {
  double cycles = 0;
  for (std::size_t i = 0; i + 1 < kernel.phases.size(); ++i) {
    const Phase& p = kernel.phases[i];
    if (p.code) cycles += p.trips * (p.code->around.shared_waits + p.code->compute.shared_waits);
  }
  const double latency = machine.shared_latency.value_or(Cycles{}).value();
  return latency > 0 ? cycles / latency : 0;
}

}  // namespace

double cycles_before_stores(const KernelDescription& kernel, const Machine& machine) {
  const double latency = machine.l2_latency.value_or(Cycles{}).value();
  double cycles = 0;
  for (std::size_t i = 0; i + 1 < kernel.phases.size(); ++i) {
    const Phase& p = kernel.phases[i];
    double trip = std::max(1.0, p.active_warps / machine.schedulers) * p.warp.instructions();
    if (p.code) {
      const auto &around = p.code->around, &compute = p.code->compute;
      trip = std::max(trip, around.chain_cycles + compute.chain_cycles +
                                (around.long_waits + compute.long_waits) * latency);
    }
    cycles += p.trips * trip;
  }
  return cycles;
}

// H200, tiles alone that wait for one load (experiments/waits_beside_dram.csv): of as many packets as DRAM
// takes of an SM in the time by which the load is later than without stores.
double packets_ahead(double of_running) {
  static const Curve ahead{.x = {256, 1000, 2000, 3000, 4000, 6000, 8000, 13000},
                           .y = {58, 280, 630, 840, 960, 1030, 1110, 1150}};
  return std::min(1.0, of_running / ahead.x.front()) * interpolate(ahead, of_running);
}

double storing_share(const KernelDescription& kernel, const Machine& machine, double blocks, double cycles) {
  const Phase& last = kernel.phases.back();
  const auto& store = last.warp.global_store;
  const double packets = last.active_warps * (store.sectors + store.masks.value_or(0));
  if (packets <= 0 || cycles <= 0) return 1;
  // In front of a shared load is one store of each warp of its scheduler that the other blocks have.
  const double turn = (blocks - 1) * packets / std::max(1.0, store.instructions()) / machine.schedulers;
  const double ahead = loads_waited_for(kernel) * packets_ahead(blocks * packets) +
                       shared_loads_waited_for(kernel, machine) * turn;
  const double before = cycles_before_stores(kernel, machine) + ahead * cycles / packets;
  return 1 - before / std::max(blocks * cycles, cycles + before);
}

}  // namespace tilecast::analytic
