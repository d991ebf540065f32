#pragma once
// Products and configs that take every path through the kernel: each block and thread tile size, both ways of
// staging with every number of stages, copies of four floats and of one, remainders in all three dimensions,
// products smaller than a tile, several images, every split.

#include <utility>
#include <vector>

#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast::sgemm {

inline std::vector<std::pair<ConvShape, Config>> test_cases() {
  const auto config = [](std::int64_t bm, std::int64_t bn, std::int64_t bk, std::int64_t tm, std::int64_t tn,
                         std::int64_t async, std::int64_t stages, std::int64_t split) {
    return Config{{"BM", bm}, {"BN", bn},       {"BK", bk},         {"TM", tm},
                  {"TN", tn}, {"async", async}, {"stages", stages}, {"split_k", split}};
  };
  const auto images = [](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, std::int64_t m) {
    return ConvShape{.N = n, .C = c, .H = h, .W = w, .M = m, .K = 1};
  };
  return {
      {gemm_shape(256, 256, 64), config(128, 128, 8, 8, 8, 1, 3, 1)},    // whole tiles, vectors
      {gemm_shape(256, 256, 64), config(128, 128, 8, 8, 8, 0, 2, 1)},    //
      {gemm_shape(256, 256, 64), config(128, 128, 16, 8, 8, 0, 1, 1)},   //
      {gemm_shape(300, 276, 100), config(256, 128, 8, 16, 8, 1, 4, 1)},  // remainders, vectors
      {gemm_shape(300, 276, 100), config(128, 256, 16, 8, 16, 0, 2, 1)},
      {gemm_shape(301, 277, 101), config(256, 128, 16, 16, 8, 1, 2, 1)},  // remainders, a float at a time
      {gemm_shape(301, 277, 101), config(128, 256, 8, 8, 16, 0, 1, 1)},
      {gemm_shape(301, 277, 101), config(64, 64, 32, 4, 4, 0, 2, 1)},
      {gemm_shape(67, 129, 37), config(32, 32, 8, 4, 4, 1, 5, 1)},   // small tiles
      {gemm_shape(67, 132, 36), config(32, 64, 16, 4, 8, 1, 4, 1)},  //
      {gemm_shape(130, 68, 72), config(64, 32, 32, 8, 4, 0, 2, 1)},  //
      {gemm_shape(70, 300, 50),
       config(32, 256, 8, 8, 16, 1, 3, 1)},  // more columns than threads copy at once
      {gemm_shape(260, 70, 50), config(256, 32, 16, 16, 4, 0, 1, 1)},
      {gemm_shape(60, 260, 50), config(32, 256, 16, 16, 4, 1, 2, 1)},   // lanes of 2 x 16
      {gemm_shape(260, 60, 52), config(256, 32, 8, 4, 16, 0, 2, 1)},    // lanes of 16 x 2
      {gemm_shape(200, 200, 40), config(128, 128, 8, 4, 4, 1, 2, 1)},   // 1024 threads: not all copy B
      {gemm_shape(200, 200, 44), config(128, 128, 8, 4, 4, 0, 2, 1)},   //
      {gemm_shape(300, 100, 44), config(256, 64, 8, 4, 4, 0, 2, 1)},    //
      {gemm_shape(300, 101, 44), config(256, 64, 8, 4, 4, 1, 3, 1)},    //
      {gemm_shape(67, 129, 36), config(64, 32, 8, 4, 4, 0, 1, 1)},      // vectors of A alone
      {gemm_shape(5, 3, 2), config(32, 32, 8, 4, 4, 0, 1, 1)},          // less than anything
      {gemm_shape(1, 1, 1), config(32, 32, 8, 4, 4, 1, 5, 1)},          //
      {gemm_shape(5, 4, 300), config(32, 32, 32, 4, 4, 1, 3, 4)},       //
      {gemm_shape(130, 130, 300), config(64, 64, 8, 4, 4, 1, 3, 2)},    // splits
      {gemm_shape(130, 132, 301), config(128, 64, 16, 8, 8, 0, 2, 4)},  //
      {gemm_shape(133, 135, 520), config(128, 128, 8, 8, 8, 1, 4, 8)},
      {gemm_shape(133, 136, 1111), config(64, 128, 16, 4, 16, 1, 3, 16)},
      {gemm_shape(256, 256, 1024), config(256, 128, 8, 16, 8, 0, 1, 16)},
      {gemm_shape(256, 100, 1000), config(256, 64, 32, 16, 4, 1, 2, 8)},
      {images(3, 70, 9, 9, 45), config(64, 32, 8, 4, 4, 1, 3, 1)},  // several images, maps of 81
      {images(5, 64, 14, 14, 100), config(64, 64, 16, 8, 4, 0, 2, 2)},
      {images(1, 2048, 7, 7, 512), config(64, 64, 32, 8, 8, 1, 3, 8)},
      {images(1, 256, 56, 56, 64), config(64, 128, 16, 8, 8, 1, 3, 1)},
      {ConvShape{.C = 64, .H = 9, .W = 9, .M = 40, .K = 1, .dilation = 5},  // of one weight: no other result
       config(64, 32, 8, 4, 4, 1, 3, 1)},
      {gemm_shape(4100, 1030, 68), config(256, 64, 8, 8, 8, 1, 5, 1)},  // many tiles
      {gemm_shape(1030, 4100, 68), config(64, 256, 8, 8, 8, 0, 2, 1)},
  };
}

}  // namespace tilecast::sgemm
