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
inline double block_control(const Division&) {
  return 3;
}

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

// Registers a thread as ptxas 13.0 reports them for sm_90, for use without a code record: of the prefetch
// method, and of the volume method with eight 16-byte loads in flight.
struct RegisterCount {
  int k, tile_x, tile_y;
  int prefetch, volume;
};
inline constexpr RegisterCount register_counts[] = {
    {1, 4, 2, 32, 64},  {1, 4, 1, 28, 61},  {1, 2, 4, 32, 64},   {1, 2, 2, 31, 61},   {1, 2, 1, 25, 56},
    {1, 1, 8, 32, 64},  {1, 1, 4, 32, 64},  {1, 1, 2, 30, 60},   {1, 1, 1, 24, 56},   {3, 4, 2, 58, 104},
    {3, 4, 1, 40, 96},  {3, 2, 4, 58, 110}, {3, 2, 2, 40, 96},   {3, 2, 1, 38, 93},   {3, 1, 8, 64, 96},
    {3, 1, 4, 49, 96},  {3, 1, 2, 40, 91},  {3, 1, 1, 30, 91},   {5, 4, 2, 86, 116},  {5, 4, 1, 97, 109},
    {5, 2, 4, 79, 118}, {5, 2, 2, 95, 105}, {5, 2, 1, 82, 96},   {5, 1, 8, 101, 128}, {5, 1, 4, 98, 109},
    {5, 1, 2, 83, 96},  {5, 1, 1, 46, 103}, {7, 4, 2, 115, 115}, {7, 4, 1, 107, 128}, {7, 2, 4, 116, 116},
    {7, 2, 2, 96, 128}, {7, 2, 1, 79, 121}, {7, 1, 8, 128, 128}, {7, 1, 4, 107, 128}, {7, 1, 2, 79, 122},
    {7, 1, 1, 69, 114},
};

// Volume variants with fewer bytes in flight need as many as prefetch, or a few more.
inline std::int64_t registers(const Division& d) {
  for (const auto& row : register_counts) {
    if (row.k == d.k && row.tile_x == d.tile_x && row.tile_y == d.tile_y)
      return d.load_bytes * d.loads_in_flight >= 128 ? row.volume : row.prefetch;
  }
  return 128;  // the launch bound; not reached, every tile is listed
}

}  // namespace tilecast::chang_single::cost
