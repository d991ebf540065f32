#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// A7. One block cannot hide its own barriers; other blocks of the SM can.
Seconds barrier_time(const Phase& phase, const Machine& machine) {
  if (!machine.barrier) return Seconds{};
  return phase.warp.barriers * *machine.barrier / machine.clock;
}

}  // namespace tilecast::analytic
