#pragma once
// What of a kernel's reads DRAM sends, and how fast it takes what the kernel writes (EQUATIONS.md S13).

#include <optional>

#include "model/analytic/traffic.hpp"
#include "model/device/device_profile.hpp"
#include "model/workload/instruction_stream.hpp"

namespace tilecast::sim {

// S13. Of what the code asks L2 for in global memory, in so many blocks, the share that DRAM sends: the bytes
// are those of `traffic`, however often the code asks.
double dram_read_share(const analytic::Traffic& traffic, const InstructionStream& stream,
                       std::int64_t blocks);

// S13. Bytes of a row that DRAM gets one after the other, of blocks that fill pieces of `piece` bytes by runs
// of `run`: L2 completes lines.
std::optional<double> written_piece(std::optional<double> piece, std::optional<double> run);

// Bytes/s at which DRAM takes writes that fill pieces of so many bytes, `between` bytes of others being
// written before the next piece beside them.
Bandwidth dram_write_rate(const DeviceProfile& device, Bandwidth streaming, std::optional<double> piece,
                          double between);

}  // namespace tilecast::sim
