#pragma once
// S18 (EQUATIONS.md). How fast co-resident blocks run when only the SM's own pipes limit them: their code,
// simulated with a memory that answers at once. A property of the machine code, committed with its mix for
// the analytic model.

#include <cstdint>
#include <vector>

#include "model/sim/l1_half.hpp"
#include "model/workload/core_pace.hpp"
#include "model/workload/instruction_stream.hpp"

namespace tilecast::sim {

// Paces of 1 to `resident` blocks that start together, for selected numbers of blocks, the last one
// `resident` (at least 1). Uses the stand-ins of CoreParameters, not a device profile. Throws InputError for
// a stream that cannot be run.
std::vector<CorePace> core_paces(const InstructionStream& stream, std::int64_t resident,
                                 const InL1Half& in_l1_half = {});

// Run times of one block for two latencies of L2 and DRAM: how much latency its code does not hide. Throws as
// core_paces().
std::vector<CoreWait> core_waits(const InstructionStream& stream, const InL1Half& in_l1_half = {});

}  // namespace tilecast::sim
