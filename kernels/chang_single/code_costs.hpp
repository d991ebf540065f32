#pragma once
// Instructions around the counted ones, and registers, of the compiled kernel: NVRTC 13.0 for sm_90, read
// from its disassembly. "integer" is everything that is neither FFMA, memory access, branch nor barrier.

#include "kernels/chang_single/division.hpp"

namespace tilecast::chang_single::cost {

// One filter over one unit: row addresses (two instructions a row), a predicate a row, its use, and the loop.
// Read: 36 to 38 with 8 rows in the tile, 19 to 22 with 4, 12 to 14 with 2, 7 to 9 with 1.
inline double item_integer(const Division& d) {
  return 4.0 * d.tile_y + 5;
}
inline constexpr double item_control = 1;

// One unit: position, window and output addresses. Read: 57 to 70 over K and tiles.
inline double visit_integer(const Division& d) {
  return 57 + 1.5 * d.k;
}
inline constexpr double visit_control = 4;

// One step of a warp without its request: shares of the step, the warp's items.
inline constexpr double step_integer = 90;
inline constexpr double step_control = 8;
// One request of a warp besides its copies: ranges, alignment, addresses.
inline constexpr double request_integer = 75;
inline constexpr double request_control = 6;
// One asynchronous copy: 14 to 17 and three empty shared loads that the assembler puts before each.
inline constexpr double map_copy_integer = 18.5;
inline double filter_copy_integer(const Division& d) {
  return d.k == 1 ? 12 : 16.5;
}
// Before the first step.
inline constexpr double block_integer = 130;
inline constexpr double block_control = 5;

// One load through registers, its store to shared memory included.
inline double volume_integer(const Division& d) {
  return 30 + 4.0 * static_cast<double>(d.load_bytes) / 4;
}
inline double volume_control(const Division&) {
  return 6;
}

// Registers a thread when there is no code record: the largest over all modes.
inline std::int64_t registers(const Division& d) {
  const int window = (d.tile_y + d.k - 1) * (d.tile_x + d.k - 1);
  const int estimate = window + d.tile_x * d.tile_y + (d.k == 1 ? 1 : 8) + 24;
  return estimate < 32 ? 32 : estimate > 128 ? 128 : (estimate + 7) / 8 * 8;
}

}  // namespace tilecast::chang_single::cost
