#include <cmath>

#include "model/analytic/bounds.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {

double warps_on_busiest_scheduler(double warps, const Machine& machine) {
  return std::ceil(warps / machine.schedulers);
}

// A1. Cycles that the busiest scheduler's FMA pipe needs. A warp stays on its scheduler, and each scheduler
// has its own share of the lanes: on four schedulers five warps take as long as eight.
Cycles fma_cycles(const Phase& phase, double blocks, const Machine& machine) {
  const double warps = warps_on_busiest_scheduler(blocks * phase.active_warps, machine);
  const double fma_per_cycle_and_scheduler = machine.fma_per_cycle / machine.schedulers;
  return Cycles{warps * phase.warp.ffma * threads_per_warp / fma_per_cycle_and_scheduler};
}

}  // namespace tilecast::analytic
