#include <algorithm>

#include "model/analytic/bounds.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

// Wavefronts of one kind of global access, which share the pipe of 128 bytes a cycle with shared memory: four
// sectors a wavefront, at least one wavefront an instruction.
double global_wavefronts(const GlobalAccess& access) {
  return std::max(access.instructions(), access.sectors / sectors_per_wavefront);
}

}  // namespace

// A3. Cycles of the SM's memory pipe for all warps of `blocks` blocks.
Cycles shared_cycles(const Phase& phase, double blocks, const Machine& machine) {
  const auto& w = phase.warp;
  const double wavefronts = w.shared_load.wavefronts + w.shared_store.wavefronts +
                            global_wavefronts(w.global_load) + global_wavefronts(w.global_store) +
                            global_wavefronts(w.async_copy);
  return Cycles{blocks * phase.active_warps * wavefronts / machine.wavefronts_per_cycle};
}

}  // namespace tilecast::analytic
