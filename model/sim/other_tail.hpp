#pragma once
// EQUATIONS.md S9: whether an SM takes a block of the tail beyond its share hangs on how far SMs deviate from
// each other, of which only a mean is known. Where it could go either way both are simulated.

#include "model/sim/sm_simulator.hpp"

namespace tilecast::sim {

// How likely it goes the other way than in `simulated`; 0: not by enough to matter.
double share_of_other_tail(const SmResult& simulated);

// That way: one block beyond the SM's share where it had none, none where it had any. Requires a share above
// 0.
SmWork with_other_tail(SmWork work, const SmResult& simulated);

}  // namespace tilecast::sim
