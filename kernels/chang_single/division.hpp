#pragma once
// A config of the family, worked out for one problem: tiles, shares, shared memory, grid.

#include <cstdint>

#include "kernels/chang_single/chang_single_index.hpp"
#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast::chang_single {

struct Division {
  std::int64_t method = 0;
  std::int64_t filters_per_block = 0, filters_per_piece = 0;
  std::int64_t rows_per_block = 0, rows_per_strip = 0;
  std::int64_t grid_m = 0, grid_y = 0;  // blocks that have work
  std::int64_t images_in_grid = 0;      // grid z; a block takes every images_in_grid-th image
  std::int64_t threads = 0;
  std::int64_t load_bytes = 0, loads_in_flight = 0;
  int k = 0, tile_x = 0, tile_y = 0;
  int group = 0;              // outputs of a tile's row that share a window
  int align = 0, period = 0;  // words to which units are aligned; filters after which alignment repeats
  int unit_warps_log2 = 0;    // see WarpWork
  std::int64_t map_buffers = 0, map_buffer_words = 0;
  std::int64_t filter_buffers = 0, filter_buffer_words = 0;

  bool prefetch() const { return loads_in_flight == 0; }
  bool one_step = false;  // ONE_STEP of the kernel
  std::int64_t warps() const { return threads / 32; }
  WarpWork warp(std::int64_t index) const;
  std::int64_t shared_bytes() const {
    return 4 * (map_buffers * map_buffer_words + filter_buffers * filter_buffer_words);
  }
  std::int64_t steps() const;  // of a block with a full share, one image
};

// Requires supports(shape) and positive axes. Does not ask whether it fits a device.
Division divide_problem(const ConvShape& shape, const Config& config);

// The kernel's run-time arguments; requires that the division fits shared memory.
Params make_params(const ConvShape& shape, const Division& division);

// Words between unit starts and the first output, for a strip whose first output has this index in the
// output tensor: lead_of() of the kernel.
inline int lead_at(const Division& d, std::int64_t first_output) {
  return d.tile_y > 1 ? 0 : lead_of(static_cast<unsigned long long>(first_output), d.align);
}
// Units of a strip of `rows` output rows.
inline std::int64_t units_of(const ConvShape& shape, const Division& d, std::int64_t rows, int lead) {
  const int outputs = band_outputs(static_cast<int>(rows), d.tile_y, static_cast<int>(shape.out_w()));
  return ceil_divide(lead + outputs, unit_words(d.tile_x));
}

}  // namespace tilecast::chang_single
