#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// A2. A scheduler issues one warp instruction a cycle. (The dual issue of compute capability 5 and 6 is not
// modelled.)
Cycles issue_cycles(const Phase& phase, double blocks, const Machine& machine) {
  return Cycles{warps_on_busiest_scheduler(blocks * phase.active_warps, machine) * phase.warp.instructions()};
}

}  // namespace tilecast::analytic
