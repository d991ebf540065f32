#pragma once
// How fast DRAM takes what a kernel writes (EQUATIONS.md S13).

#include <optional>

#include "model/device/device_profile.hpp"

namespace tilecast::sim {

// S13. Bytes of a row that DRAM gets one after the other, of blocks that fill pieces of `piece` bytes by runs
// of `run`: L2 completes lines.
std::optional<double> written_piece(std::optional<double> piece, std::optional<double> run);

// Bytes/s at which DRAM takes writes that fill pieces of so many bytes, `between` bytes of others being
// written before the next piece beside them.
Bandwidth dram_write_rate(const DeviceProfile& device, Bandwidth streaming, std::optional<double> piece,
                          double between);

}  // namespace tilecast::sim
