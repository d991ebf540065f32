#pragma once
// What an instruction is to the simulator (EQUATIONS.md S2).

#include "kernels/sass/execute.hpp"
#include "model/workload/instruction_stream.hpp"

namespace tilecast::sass {

// Of one that was executed so; throws InputError, naming it, for what the simulator does not model.
StreamOpKind stream_kind(const Program& program, const Instruction& i, const InstructionCount& count);

}  // namespace tilecast::sass
