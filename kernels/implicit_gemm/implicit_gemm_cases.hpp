#pragma once
// Layers and configs that take every path through the kernel: filters of 1 to 11 rows, strides 1 to 4,
// padding up to beyond the window, dilations of 2 to 5, maps smaller than a filter, several images within a
// tile, remainders in all three dimensions, both ways of staging with every number of stages, stores of four
// floats and of one, every split.

#include <utility>
#include <vector>

#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast::implicit_gemm {

inline std::vector<std::pair<ConvShape, Config>> test_cases() {
  const auto layer = [](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, std::int64_t m,
                        std::int64_t k, std::int64_t stride, std::int64_t pad, std::int64_t dilation = 1) {
    return ConvShape{
        .N = n, .C = c, .H = h, .W = w, .M = m, .K = k, .stride = stride, .pad = pad, .dilation = dilation};
  };
  const auto config = [](std::int64_t bm, std::int64_t bn, std::int64_t bk, std::int64_t tm, std::int64_t tn,
                         std::int64_t async, std::int64_t stages, std::int64_t split) {
    return Config{{"BM", bm}, {"BN", bn},       {"BK", bk},         {"TM", tm},
                  {"TN", tn}, {"async", async}, {"stages", stages}, {"split_k", split}};
  };
  return {
      {layer(1, 64, 16, 16, 128, 3, 1, 1), config(128, 128, 8, 8, 8, 1, 3, 1)},  // whole tiles
      {layer(1, 64, 16, 16, 128, 3, 1, 1), config(128, 128, 8, 8, 8, 0, 2, 1)},
      {layer(1, 64, 16, 16, 128, 3, 1, 1), config(64, 64, 16, 8, 4, 0, 1, 1)},
      {layer(1, 37, 13, 17, 45, 3, 1, 1), config(64, 64, 8, 4, 4, 1, 4, 1)},  // remainders
      {layer(3, 37, 13, 17, 45, 3, 1, 0), config(32, 128, 16, 4, 8, 1, 2, 1)},
      {layer(3, 37, 13, 17, 45, 3, 2, 1), config(64, 128, 16, 8, 8, 0, 1, 1)},
      {layer(2, 21, 15, 15, 40, 5, 1, 2), config(64, 64, 32, 8, 8, 1, 3, 1)},
      {layer(2, 21, 15, 14, 40, 5, 3, 1), config(32, 64, 8, 4, 4, 0, 2, 1)},
      {layer(1, 3, 56, 56, 64, 7, 2, 3), config(64, 128, 8, 8, 8, 1, 5, 1)},
      {layer(2, 5, 20, 23, 33, 7, 3, 2), config(32, 32, 32, 4, 4, 0, 2, 1)},
      {layer(4, 3, 47, 47, 96, 11, 4, 0), config(128, 64, 16, 8, 8, 1, 3, 1)},
      {layer(1, 2, 31, 20, 17, 15, 1, 7), config(32, 128, 8, 8, 8, 0, 1, 1)},
      {layer(5, 70, 9, 9, 60, 1, 1, 0), config(64, 64, 16, 8, 4, 1, 3, 1)},  // 1 x 1
      {layer(5, 70, 9, 9, 60, 1, 2, 0), config(64, 64, 16, 4, 8, 0, 2, 1)},
      {layer(2, 70, 9, 9, 60, 1, 1, 1), config(64, 32, 8, 4, 4, 1, 2, 1)},  // padding beyond the window
      {layer(7, 9, 3, 3, 40, 3, 1, 0), config(32, 32, 8, 4, 4, 1, 3, 1)},   // one output an image
      {layer(3, 9, 2, 2, 40, 5, 1, 2), config(32, 32, 8, 4, 4, 0, 2, 1)},   // a map smaller than the filter
      {layer(2, 6, 5, 6, 10, 3, 2, 3), config(32, 32, 16, 4, 4, 1, 4, 1)},  // windows wholly outside
      {layer(1, 1, 3, 3, 1, 3, 1, 0), config(32, 32, 8, 4, 4, 1, 5, 1)},    // one output, two steps
      {layer(1, 1, 1, 1, 1, 1, 1, 0), config(32, 32, 32, 4, 4, 0, 1, 1)},   // one multiplication
      {layer(1, 512, 7, 7, 100, 3, 1, 1), config(64, 64, 16, 4, 8, 1, 4, 8)},  // splits
      {layer(2, 100, 7, 7, 133, 3, 1, 1), config(128, 64, 8, 8, 8, 0, 2, 2)},
      {layer(1, 200, 14, 14, 90, 3, 2, 1), config(32, 32, 32, 4, 4, 1, 5, 16)},
      {layer(1, 64, 12, 12, 256, 5, 1, 2), config(256, 128, 8, 16, 8, 0, 1, 4)},
      {layer(3, 40, 10, 12, 140, 3, 1, 1), config(128, 256, 16, 8, 16, 1, 2, 8)},
      {layer(2, 33, 24, 24, 200, 3, 1, 1), config(256, 32, 8, 8, 4, 1, 3, 1)},
      {layer(2, 33, 24, 24, 64, 3, 1, 1), config(32, 256, 8, 8, 16, 0, 1, 1)},   // several pixels a thread
      {layer(2, 33, 24, 25, 128, 3, 1, 1), config(128, 128, 8, 4, 4, 1, 3, 1)},  // 1024 threads
      {layer(1, 40, 14, 14, 300, 1, 1, 0), config(256, 64, 8, 4, 4, 1, 5, 1)},   // not all of them copy
      {layer(1, 40, 14, 14, 300, 3, 1, 0), config(256, 64, 8, 4, 4, 0, 2, 1)},
      {layer(1, 16, 60, 62, 260, 3, 1, 1), config(256, 128, 16, 16, 8, 1, 3, 1)},
      {layer(1, 64, 16, 16, 128, 3, 1, 2, 2), config(128, 128, 8, 8, 8, 1, 3, 1)},  // dilations: whole tiles
      {layer(1, 64, 16, 16, 128, 3, 1, 3, 3), config(64, 64, 16, 8, 4, 0, 1, 1)},
      {layer(3, 37, 13, 17, 45, 3, 1, 1, 2), config(64, 64, 8, 4, 4, 1, 4, 1)},  // remainders
      {layer(3, 37, 14, 17, 45, 3, 2, 1, 3), config(32, 128, 16, 4, 8, 0, 2, 1)},
      {layer(2, 21, 23, 22, 40, 5, 3, 4, 2), config(64, 64, 32, 8, 8, 1, 3, 1)},
      {layer(2, 5, 40, 43, 33, 7, 2, 9, 3), config(32, 32, 32, 4, 4, 0, 2, 1)},
      {layer(2, 9, 6, 5, 40, 3, 1, 5, 5), config(32, 32, 8, 4, 4, 1, 3, 1)},  // a map smaller than the filter
      {layer(2, 9, 5, 6, 10, 3, 1, 7, 4), config(32, 32, 16, 4, 4, 0, 1, 1)},  // windows with a middle alone
      {layer(2, 70, 9, 9, 60, 1, 2, 1, 3), config(64, 32, 8, 4, 4, 1, 2, 1)},  // 1 x 1
      {layer(1, 3, 61, 30, 17, 15, 1, 3, 2), config(32, 128, 8, 8, 8, 0, 1, 1)},
      {layer(1, 200, 14, 14, 90, 3, 1, 2, 2), config(32, 32, 32, 4, 4, 1, 5, 16)},  // splits
      {layer(3, 40, 20, 24, 140, 3, 1, 3, 3), config(128, 256, 16, 8, 16, 0, 2, 4)},
  };
}

}  // namespace tilecast::implicit_gemm
