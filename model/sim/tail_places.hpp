#pragma once
// S9 (EQUATIONS.md). Who takes the blocks of the tail: the places of the whole device that are free first.
// The simulated SM stands for all of them, whose places are free sooner or later by chance.

#include <vector>

#include "model/sim/sm_simulator.hpp"

namespace tilecast::sim {

struct TailOfDevice {
  double share = 0;       // of all places that it takes; 0: nobody knows which
  double parts = 0;       // SMs, or parts of the device, whose places are free independently
  double waves = 1;       // full waves before it
  double completion = 0;  // cycles between two noticed ends of an SM
};

struct TailTaken {
  double most = 0;     // expected blocks of the tail on the SM that takes most
  double noticed = 0;  // cycle in which the place of the tail's last block has been noticed
};

// From the places of the simulated SM's last full wave, at least one; `tail.share` above 0.
TailTaken tail_taken(const std::vector<FreePlace>& places, const TailOfDevice& tail);

}  // namespace tilecast::sim
