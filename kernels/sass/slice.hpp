#pragma once
// Which instructions decide where control goes and which memory is touched. The others (nearly all of a
// kernel's inner loop) need not be calculated to be counted.

#include <vector>

#include "kernels/sass/micro_op.hpp"

namespace tilecast::sass {

// Control and memory: what matters in itself, not for its result.
bool matters_in_itself(OpClass op_class);

struct Slice {
  // For each instruction whether its result reaches a branch, a guard, an address or a barrier.
  std::vector<bool> needed;
  // Where loads from shared memory are among them: these loads, and the stores of what can be calculated.
  std::vector<bool> table_loads, table_stores;
  bool has_tables = false;
  std::vector<RegisterSet> live_in;  // by block: registers whose values matter from there on
};

// Backward data flow over the program's blocks (Weiser's program slice, restricted to scalars). A return is
// taken to go to every call. What is stored to shared memory belongs to it where loads from there do and
// nothing that was loaded or is floating-point is in it (forward data flow).
Slice slice_of(const Program& program, const std::vector<MicroOp>& ops);

}  // namespace tilecast::sass
