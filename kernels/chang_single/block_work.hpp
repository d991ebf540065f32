#pragma once
// What a block does in one step and one request, summed over its warps: the parts that describe() adds up.

#include <cstdint>

#include "kernels/chang_single/division.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::chang_single {

inline std::int64_t parts(std::int64_t n, std::int64_t size) {
  return (n + size - 1) / size;
}
inline double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// Work of some steps of one block, summed over its warps.
struct BlockWork {
  WarpCounts warps;
  double visits = 0;  // windows loaded
  // Copies and loads that are issued, also where a loop has more than are left: of all warps, and of the one
  // with the most.
  double copies = 0, most_copies = 0;
  double active_warps = 0;                         // sum over steps of the warps that compute
  double items = 0;                                // sum over steps, as in StepCounts
  double busiest_scheduler = 0, busiest_warp = 0;  // of these, step by step
  double fetched = 0, stored = 0;                  // bytes
  double load_rounds = 0;                          // volume mode: dependent rounds of loads
  double steps = 0;

  void add_steps(const BlockWork& other, double times);
};

// `total` cut every `size`: `full` parts and a last one that may be shorter.
struct Cut {
  std::int64_t full = 0;  // parts before the last
  std::int64_t size = 0, last = 0;
  std::int64_t count() const { return full + 1; }
};

inline Cut cut(std::int64_t total, std::int64_t size) {
  const std::int64_t full = parts(total, size) - 1;
  return {full, size, total - full * size};
}

template <class Function>  // f(size, how many)
void for_each_size(const Cut& c, Function f) {
  if (c.full > 0) f(c.size, c.full);
  f(c.last, std::int64_t{1});
}

// One step: a strip of `rows` output rows times `filters` filters. `phase`: the index in the output tensor,
// modulo a sector's 8 words, of the strip's first output of the first filter.
struct StepShape {
  std::int64_t rows = 0, filters = 0;
  std::int64_t phase = 0;
  friend bool operator==(const StepShape&, const StepShape&) = default;
};

// Of one step, summed over the block's warps.
struct StepCounts {
  std::int64_t items = 0;   // units times filters
  std::int64_t visits = 0;  // windows loaded
  std::int64_t active_warps = 0;
  // Items of the block's busiest scheduler, and of its busiest warp.
  std::int64_t busiest_scheduler = 0, busiest_warp = 0;
};

// Warps go to an SM's `schedulers` in turn.
StepCounts step_counts(const ConvShape& shape, const Division& d, const StepShape& step,
                       std::int64_t schedulers);

// Means over the units of a strip, from some of them evenly spread.
struct UnitMeans {
  double window_wavefronts = 0;  // of one window load instruction
  double store_sectors = 0;      // of one unit and filter, all rows of its tiles; by all of its stores
};

UnitMeans unit_means(const ConvShape& shape, const Division& d, std::int64_t rows, std::int64_t phase);

// Adds `times` times the counts of a warp.
void add(WarpCounts& to, const WarpCounts& from, double times);

// compute() of the kernel for one step. Of stores of parts of a tile, at a strip's ends, only the sectors are
// counted.
BlockWork compute_work(const ConvShape& shape, const Division& d, const UnitMeans& means,
                       const StepShape& step, std::int64_t schedulers);

// Words that a request copies of the map, for `rows` output rows from `first_row` of the first image on.
std::int64_t map_words(const ConvShape& shape, const Division& d, std::int64_t first_row, std::int64_t rows);

// One request of so many words of the map and weights of filters (either may be 0): asynchronous copies, 16
// bytes of the map and 4 bytes of the filters a lane, or loads through registers in the volume method.
BlockWork request_work(const Division& d, std::int64_t map, std::int64_t filter_weights);

}  // namespace tilecast::chang_single
