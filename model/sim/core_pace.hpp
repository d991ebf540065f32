#pragma once
// What the SM's own pipes make of blocks that run together (EQUATIONS.md S18): their code, simulated with a
// memory that answers at once. A property of the machine code, committed with its mix for the analytic model.

#include <cstdint>
#include <vector>

#include "model/workload/core_pace.hpp"
#include "model/workload/instruction_stream.hpp"

namespace tilecast::sim {

// Of 1 to `resident` blocks at once, each beginning with the first: some numbers of them, the last one
// `resident`. By the stand-ins of CoreParameters, not by a device profile. `resident` is at least 1.
// Throws InputError for a stream that cannot be run.
std::vector<CorePace> core_paces(const InstructionStream& stream, std::int64_t resident);

// Of one block, with two latencies of L2 and DRAM in place of none: what the block's own code does not hide.
// Throws as core_paces().
std::vector<CoreWait> core_waits(const InstructionStream& stream);

}  // namespace tilecast::sim
