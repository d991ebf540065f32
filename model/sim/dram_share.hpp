#pragma once
// What of a kernel's reads DRAM sends, and in which pieces it gets what the kernel writes (EQUATIONS.md S13).

#include <array>
#include <optional>

#include "model/analytic/traffic.hpp"
#include "model/sim/memory_system.hpp"
#include "model/workload/instruction_stream.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::sim {

// S12. What the described block of a cluster reads, relative to the mean of the grid's: as many more steps of
// the reduction as it has, by its multiply-adds.
double reads_more(const KernelDescription& kernel);

// S13. Of what the code asks L2 for in global memory, in so many blocks, the share that DRAM sends: the bytes
// are those of `traffic`, however often the code asks.
double dram_read_share(const analytic::Traffic& traffic, const InstructionStream& stream, double blocks);

// S6. What SMs ask for at the same time, of the input and of the filters; nullopt where L2 has it all, or
// nobody asks for the same.
std::optional<std::array<SharedReads, 2>> shared_reads(const analytic::Traffic& traffic,
                                                       const InstructionStream& stream, double blocks);

// S13. Bytes of a row that DRAM gets one after the other, of blocks that fill pieces of `piece` bytes by runs
// of `run`: L2 completes lines.
std::optional<double> written_piece(std::optional<double> piece, std::optional<double> run);

}  // namespace tilecast::sim
