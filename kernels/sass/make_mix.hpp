#pragma once
// Machine code to the committed summary of what its warps issue.

#include "kernels/code_mix.hpp"
#include "kernels/sass/execute.hpp"

namespace tilecast::sass {

// Of the warps of the block at `block`, their mean, with the chain of the slowest one. Costs of the memory
// pipeline and of register ports are those of the simulator's constants (model/sim/core_parameters.hpp), not
// of a device profile: the mix is the architecture's. Throws what make_stream() throws.
CodeMix make_mix(const Program& program, const Executor& executor, BlockIndex block = {});

}  // namespace tilecast::sass
