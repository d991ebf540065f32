#pragma once
// Machine code to the simulator's input: what the warps of one block issue, as the compiler scheduled it.

#include <cstdint>
#include <vector>

#include "kernels/sass/execute.hpp"
#include "kernels/sass/l1_hits.hpp"
#include "model/workload/instruction_stream.hpp"

namespace tilecast::sass {

// Of the block at `block`. Wavefronts and sectors are means over the executions of each instruction in that
// block. Loads find in L1 (S15) what their block has loaded before; without `l1`, only local memory, all of
// it. A branch has a second entry in the table, for when it is taken; a barrier that a register names has
// one for each value. Accesses whose addresses come from memory count as without conflicts. Throws
// InputError, naming the instruction, for what the simulator does not model (tensor cores, bulk copies,
// atomics that return a value, numbers of threads in registers), and what Executor::run_warp throws.
// `follow`: the accesses of long loops that repeat are not calculated in each trip (followed_loops.hpp).
InstructionStream make_stream(const Program& program, const Executor& executor, BlockIndex block = {},
                              const L1Room& l1 = {}, bool follow = true);

// By instruction, the first sector of global memory that the block's first warp reads through L1; 0: none.
std::vector<std::uint64_t> first_loads(const Program& program, const Executor& executor, BlockIndex block);

}  // namespace tilecast::sass
