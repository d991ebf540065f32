#pragma once
// Instructions around the counted ones, and registers, of the compiled kernel: NVRTC 13.0 for sm_90, read
// from its disassembly block by block along the path taken. "integer" is everything that is neither FFMA,
// memory access, branch nor barrier; an instruction switched off by its predicate counts, since it is issued.

#include "kernels/chang_single/division.hpp"

namespace tilecast::chang_single::cost {

inline double load_words(const Division& d) {
  return static_cast<double>(d.load_bytes / 4);
}

// One filter over one unit: row addresses (two instructions a row), a predicate a row, its use, and the loop.
// Read: 36 to 38 with 8 rows in the tile, 19 to 22 with 4, 12 to 14 with 2, 7 to 9 with 1.
inline double item_integer(const Division& d) {
  return 4.0 * d.tile_y + 5;
}
inline constexpr double item_control = 1;

// One unit: position, window and output addresses. Read: 54 to 72 over K and tiles.
inline double visit_integer(const Division& d) {
  return 57 + 1.5 * d.k;
}
inline constexpr double visit_control = 4;

// One step of a warp without its request: shares of the step, the next step, waiting. In the volume method
// the ranges to load are part of it.
inline double step_integer(const Division& d) {
  return d.prefetch() ? 55 : 118;
}
inline double step_control(const Division& d) {
  return d.prefetch() ? 5 : 9;
}
// More of it in a warp that has items: its share of them.
inline constexpr double share_integer = 23;
inline constexpr double share_control = 3;

// One request of a warp in the prefetch method, besides its copies.
inline constexpr double request_integer = 60;
inline constexpr double request_control = 5;
// One asynchronous copy: 14 to 17 and three empty shared loads that the assembler puts before each.
inline constexpr double map_copy_integer = 18.5;
inline double filter_copy_integer(const Division& d) {
  return d.k == 1 ? 12 : 16.5;
}
inline constexpr double copy_control = 1;

// Before the first step, the first request apart.
inline double block_integer(const Division& d) {
  return d.prefetch() ? 85 : 50;
}
inline constexpr double block_control = 3;

// One load through registers and its store to shared memory. Words of filters are stored one by one, each to
// its padded place.
inline constexpr double map_load_integer = 22.5;
inline constexpr double map_load_control = 3.3;
inline double filter_load_integer(const Division& d) {
  return 14 + 13 * load_words(d);
}
inline double filter_load_control(const Division& d) {
  return 3 + 2 * load_words(d);
}

// Registers a thread when there is no code record.
inline std::int64_t registers(const Division& d) {
  const int window = (d.tile_y + d.k - 1) * (d.tile_x + d.k - 1);
  const int estimate = window + d.tile_x * d.tile_y + (d.k == 1 ? 1 : 8) + 24;
  return estimate < 32 ? 32 : estimate > 128 ? 128 : (estimate + 7) / 8 * 8;
}

}  // namespace tilecast::chang_single::cost
