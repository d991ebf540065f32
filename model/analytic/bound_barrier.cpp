#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// A7. One block cannot hide its own barriers; other blocks of the SM can.
Seconds barrier_time(const Phase& phase, const Machine& machine) {
  if (!machine.barrier) return Seconds{};
  return phase.warp.barriers * *machine.barrier / machine.clock;
}

Cycles barrier_cycles(double warps, const Machine& machine) {
  const Curve& curve = machine.profile->barrier_over_warps;
  if (curve.present()) return Cycles{interpolate(curve, warps)};
  return machine.barrier.value_or(Cycles{});
}

}  // namespace tilecast::analytic
