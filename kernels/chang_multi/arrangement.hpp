#pragma once
// From a config to everything that the kernel needs: thread tile, lanes, slices, stages, shared memory. A
// deterministic rule; its order of preference is stated at each step in arrangement.cpp.

#include <cstdint>
#include <variant>

#include "kernels/chang_multi/chang_multi_index.hpp"
#include "kernels/family.hpp"

namespace tilecast::chang_multi {

// What of a device the rule depends on.
struct Limits {
  std::int64_t sm_count = 0;
  std::int64_t max_threads_per_block = 0;
  std::int64_t registers_per_sm = 0;
  std::int64_t shared_per_sm = 0, shared_per_block = 0, shared_reserved_per_block = 0;  // bytes
};
// Throws UnavailableError when the profile lacks one.
Limits limits_of(const DeviceProfile& device);

struct Tile {
  std::int64_t S_bytes = 32, M_tile = 4, Wx_tile = 32;
};

struct Arrangement {
  Geometry geometry;
  Params params;
  std::int64_t grid_x = 1, grid_y = 1, grid_z = 1;  // tiles of pixels, of filters; images
  std::int64_t min_blocks = 1;                      // blocks on an SM that registers must allow
  std::int64_t register_limit = 255;                // a thread, that follows from it
};

// Positions of the flattened map that have to be computed: from the first output to the last, over the full
// width.
inline std::int64_t virtual_pixels(const ConvShape& shape) {
  return (shape.out_h() - 1) * shape.W + shape.out_w();
}

// Requires supports(shape).
std::variant<Arrangement, Unsupported> arrange(const ConvShape& shape, const Tile& tile,
                                               const Limits& limits);

}  // namespace tilecast::chang_multi
