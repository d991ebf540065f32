#pragma once
// The simulated time of a kernel (EQUATIONS.md, S*): one SM executes its blocks' instructions; launch, waves
// and traffic come from the analytic model. Deterministic for a seed. No constant is fitted to a kernel's
// measured time.

#include <cstdint>

#include "model/analytic/analytic.hpp"
#include "model/device/device_profile.hpp"
#include "model/sim/sm_simulator.hpp"
#include "model/workload/instruction_stream.hpp"
#include "model/workload/kernel_description.hpp"
#include "model/workload/prediction.hpp"

namespace tilecast::sim {

struct Options {
  analytic::Caches caches = analytic::Caches::warm;
  std::uint64_t seed = 1;
  bool interval = true;     // two more simulations, at both ends of the profile's intervals
  bool extrapolate = true;  // false: every trip is stepped through
  Timeline* timeline = nullptr;
};

struct Simulation {
  Prediction prediction;  // its bounds: launch, the run by stall cause (S10), drain
  SmResult sm;            // of an SM with its even share of the tail: the blocks that were simulated
  int resident = 0;       // resident blocks
  double blocks = 0;      // of the busiest SM, simulated or extrapolated; expected, where it is chance
};

// Throws InputError when not even one block fits on an SM, or the stream cannot be run; UnavailableError when
// the profile lacks what core_parameters() and launch need.
Simulation simulate(const KernelDescription& kernel, const InstructionStream& stream,
                    const DeviceProfile& device, const Options& options = {});

}  // namespace tilecast::sim
