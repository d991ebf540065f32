#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// A2. Issue cycles of the busiest scheduler: one warp instruction a cycle, and none while an FFMA waits for a
// register port. Dual issue (compute capability 5 and 6) is not modelled.
Cycles issue_cycles(const Phase& phase, double blocks, const Machine& machine) {
  const double slots = phase.warp.instructions() + (machine.ffma_slots - 1) * phase.warp.ffma;
  return Cycles{warps_on_busiest_scheduler(blocks * phase.active_warps, machine) * slots};
}

}  // namespace tilecast::analytic
