#pragma once
// Which instructions decide where control goes and which memory is touched. The others (nearly all of a
// kernel's inner loop) need not be calculated to be counted.

#include <vector>

#include "kernels/sass/micro_op.hpp"

namespace tilecast::sass {

// Control and memory: what matters in itself, not for its result.
bool matters_in_itself(OpClass op_class);

// For each instruction whether its result reaches a branch, a guard, an address or a barrier: backward data
// flow over the program's blocks (Weiser's program slice, restricted to scalars). A return is taken to go to
// every call.
std::vector<bool> needed_instructions(const Program& program, const std::vector<MicroOp>& ops);

}  // namespace tilecast::sass
