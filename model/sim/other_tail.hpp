#pragma once
// S9 (EQUATIONS.md). Whether an SM takes a block of the tail beyond its share depends on how far SMs deviate
// from each other, which is known only on average. Where it could go either way, both are simulated.

#include "model/sim/sm_simulator.hpp"

namespace tilecast::sim {

// Weight of the opposite outcome to that of `simulated`; 0 where it is too unlikely to matter.
double share_of_other_tail(const SmResult& simulated);

// The work with the opposite outcome: one block beyond the SM's share where it had none, none where it had
// any. Requires a weight above 0.
SmWork with_other_tail(SmWork work, const SmResult& simulated);

}  // namespace tilecast::sim
