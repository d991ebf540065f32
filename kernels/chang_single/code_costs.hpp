#pragma once
// Instructions around the counted ones, and registers, of the compiled kernel: NVRTC 13.0 for sm_90, read
// from its disassembly block by block along the path taken. "integer" is everything that is neither FFMA,
// memory access, branch nor barrier (reads of constant memory are in it); an instruction switched off by its
// predicate counts, since it is issued.

#include "kernels/chang_single/division.hpp"

namespace tilecast::chang_single::cost {

inline double load_words(const Division& d) {
  return static_cast<double>(d.load_bytes / 4);
}
// Tiles in groups of fewer outputs than a store has may need stores of parts: predicates and a branch.
inline bool straddles(const Division& d) {
  return d.group < d.tile_x;
}

// One filter over one unit: next addresses, a predicate a row, the loop. Read: 7 with one row, 8 with two,
// and 7 to 9 where tiles straddle rows.
inline double item_integer(const Division& d) {
  return straddles(d) ? 8 : 6 + d.tile_y;
}
inline double item_control(const Division& d) {
  return straddles(d) ? 4 : 1;
}

// One unit: places, window and output addresses. Read: 31 to 44 in a loop over units.
inline double visit_integer(const Division&) {
  return 38;
}
inline double visit_control(const Division& d) {
  return d.one_step ? 1 : 5;
}

// One step of a warp without its request: the step's ranges, the first places, waiting; read: 64 to 77, and
// 133 to 139 in the volume method, where the ranges to load are part of it. Where there is one step only it
// is part of the block.
inline double step_integer(const Division& d) {
  return d.one_step ? 0 : d.prefetch() ? 68 : 136;
}
inline double step_control(const Division& d) {
  return d.one_step ? 0 : d.prefetch() ? 5 : 10;
}

// One request of a warp in the prefetch method, besides its copies. Read: 46 to 54.
inline double request_integer(const Division& d) {
  return d.one_step ? 0 : 49;
}
inline double request_control(const Division& d) {
  return d.one_step ? 0 : 8;
}
// One asynchronous copy in a loop: 7 or 8, and three empty shared loads that the assembler puts before it; of
// filters also the padded place.
inline constexpr double map_copy_integer = 10.5;
inline double filter_copy_integer(const Division& d) {
  return d.k == 1 ? 11 : 14;
}
inline constexpr double copy_control = 1;

// Before the first step, the first request apart. Read for one step: 34 to 55.
inline double block_integer(const Division& d) {
  return d.one_step ? 45 : d.prefetch() ? 95 : 80;
}
inline double block_control(const Division& d) {
  return d.one_step ? 1 : 3;
}

// One load through registers and its store to shared memory. Words of filters are stored one by one, each to
// its padded place.
inline constexpr double map_load_integer = 18;
inline constexpr double map_load_control = 3.5;
inline double filter_load_integer(const Division& d) {
  return 12 + 10 * load_words(d);
}
inline double filter_load_control(const Division&) {
  return 5;
}

// Registers a thread as ptxas 13.0 reports them for sm_90, for use without a code record: of one step, of
// several with prefetch, and of the volume method with eight 16-byte loads in flight. They vary by some with
// the sizes that are compile-time.
struct RegisterCount {
  int k, group, tile_x, tile_y;
  int one_step, prefetch, volume;
};
inline constexpr RegisterCount register_counts[] = {
    {1, 4, 4, 1, 20, 52, 107}, {1, 2, 4, 1, 25, 50, 96},    {1, 1, 4, 1, 32, 80, 114},
    {3, 4, 4, 1, 48, 80, 102}, {3, 4, 4, 2, 55, 85, 112},   {3, 4, 4, 4, 70, 112, 124},
    {3, 2, 4, 1, 52, 80, 104}, {3, 1, 4, 1, 72, 120, 128},  {5, 4, 4, 1, 71, 101, 111},
    {5, 4, 4, 2, 79, 96, 118}, {5, 4, 4, 4, 99, 126, 128},  {5, 2, 4, 1, 93, 105, 126},
    {5, 1, 2, 1, 80, 96, 119}, {7, 4, 4, 1, 103, 107, 128}, {7, 4, 4, 2, 111, 116, 128},
    {7, 2, 2, 1, 88, 91, 122}, {7, 2, 2, 2, 96, 102, 128},  {7, 2, 2, 4, 113, 126, 128},
    {7, 1, 1, 1, 80, 84, 114}, {7, 1, 1, 2, 87, 92, 122},   {7, 1, 1, 4, 106, 116, 128},
};

// Volume variants with fewer bytes in flight need as many as prefetch, or a few fewer.
inline std::int64_t registers(const Division& d) {
  for (const auto& row : register_counts) {
    if (row.k == d.k && row.group == d.group && row.tile_x == d.tile_x && row.tile_y == d.tile_y)
      return d.one_step ? row.one_step : d.load_bytes * d.loads_in_flight >= 128 ? row.volume : row.prefetch;
  }
  return 128;  // the launch bound; not reached, every tile is listed
}

}  // namespace tilecast::chang_single::cost
