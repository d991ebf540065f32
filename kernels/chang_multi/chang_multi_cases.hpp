#pragma once
// Layers and configs that take every path through the kernel: each K and S; C and M that divide nothing; maps
// smaller than a tile and maps with several tiles; each copy width (map width odd, even, a multiple of 4);
// several images; one slice, slices of part of a warp, of a warp, of several warps; more slices than lines.

#include <utility>
#include <vector>

#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast::chang_multi {

inline std::vector<std::pair<ConvShape, Config>> test_cases() {
  const auto layer = [](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, std::int64_t m,
                        std::int64_t k) { return ConvShape{.N = n, .C = c, .H = h, .W = w, .M = m, .K = k}; };
  const auto config = [](std::int64_t s, std::int64_t m, std::int64_t wx) {
    return Config{{"S_bytes", s}, {"M_tile", m}, {"Wx_tile", wx}};
  };
  return {
      {layer(1, 8, 7, 7, 16, 3), config(32, 8, 32)},         // a map within a tile, copies of 4 bytes
      {layer(1, 512, 7, 7, 20, 3), config(32, 4, 64)},       // slices of 8 threads
      {layer(2, 37, 9, 9, 13, 3), config(64, 4, 32)},        // remainders everywhere, two images
      {layer(2, 5, 11, 13, 7, 1), config(32, 4, 32)},        // K = 1, channels of 143: copies of 4 bytes
      {layer(1, 67, 10, 14, 33, 1), config(64, 16, 64)},     // K = 1, lines in eights and a rest
      {layer(1, 64, 28, 28, 64, 1), config(128, 64, 128)},   // K = 1, copies of 16 bytes
      {layer(1, 33, 14, 14, 24, 5), config(32, 8, 64)},      // copies of 8 bytes
      {layer(3, 19, 17, 20, 40, 5), config(64, 32, 96)},     // several tiles, three images
      {layer(1, 64, 20, 36, 70, 5), config(128, 32, 64)},    // M one tile and a rest
      {layer(1, 21, 15, 15, 17, 7), config(32, 16, 32)},     // K = 7: rounds of one or two lines
      {layer(1, 30, 24, 24, 50, 7), config(64, 48, 128)},    // three warps along the filters
      {layer(2, 12, 9, 30, 9, 7), config(128, 8, 96)},       // three warps along the pixels
      {layer(1, 1, 12, 12, 5, 3), config(32, 4, 32)},        // one channel: fewer lines than slices
      {layer(1, 3, 40, 40, 8, 3), config(128, 8, 64)},       // fewer weights than one segment
      {layer(1, 128, 20, 20, 64, 3), config(32, 64, 64)},    // slices of two warps
      {layer(1, 40, 60, 60, 130, 3), config(32, 128, 128)},  // one slice of 256 threads
      {layer(1, 64, 90, 52, 64, 3), config(64, 64, 128)},    // slices of four warps
      {layer(1, 48, 30, 31, 24, 3), config(32, 24, 64)},     // threads in threes
      {layer(1, 16, 40, 200, 8, 3), config(32, 8, 512)},     // long tiles
      {layer(1, 9, 3, 3, 4, 3), config(32, 4, 32)},          // one output
      {layer(1, 2, 1, 70, 3, 1), config(32, 16, 32)},        // a map of one row; M below the tile
      {layer(1, 256, 14, 14, 96, 3), config(128, 96, 160)},  // a wide tile with long segments
      {layer(1, 12, 13, 13, 29, 3), config(32, 13, 32)},     // M_tile 13: computed as 16, 13 of them stored
      {layer(1, 16, 20, 20, 350, 3), config(32, 163, 128)},  // the paper's M' on a large GPU
      {layer(2, 9, 12, 12, 5, 5), config(64, 1, 64)},        // one filter a tile
      {layer(1, 24, 18, 18, 300, 1), config(128, 250, 64)},  // nearly the largest
  };
}

}  // namespace tilecast::chang_multi
