#include "kernels/chang_single/chang_single_cases.hpp"

namespace tilecast::chang_single {
namespace {

ConvShape layer(std::int64_t N, std::int64_t H, std::int64_t W, std::int64_t M, std::int64_t K) {
  return {.N = N, .C = 1, .H = H, .W = W, .M = M, .K = K, .stride = 1, .pad = 0};
}

Config division(std::int64_t method, std::int64_t P, std::int64_t Q, std::int64_t grid_m, std::int64_t grid_y,
                std::int64_t threads, std::int64_t load_bytes = 16, std::int64_t loads_in_flight = 0) {
  return {{"method", method},
          {"P", P},
          {"Q", Q},
          {"grid_m", grid_m},
          {"grid_y", grid_y},
          {"threads", threads},
          {"load_bytes", load_bytes},
          {"loads_in_flight", loads_in_flight}};
}

}  // namespace

std::vector<std::pair<ConvShape, Config>> test_cases() {
  std::vector<std::pair<ConvShape, Config>> cases;
  const auto add = [&](const ConvShape& shape, const Config& config) { cases.emplace_back(shape, config); };

  // Every K with out_w of 4n, 4n + 2 and odd: all tile widths and window vectors; maps that end inside a
  // copy.
  for (const std::int64_t K : {1, 3, 5, 7}) {
    for (const std::int64_t out_w : {24, 26, 27}) {
      const ConvShape shape = layer(1, 21 + K, out_w + K - 1, 11, K);
      add(shape, division(1, 3, 1, 4, 1, 512));
      add(shape, division(2, 1, 3, 1, 5, 512));
      add(shape, division(3, 2, 2, 3, 3, 128));
      add(shape, division(3, 2, 2, 3, 3, 128, 4, 1));
      add(shape, division(3, 2, 1, 2, 2, 256, 8, 2));
      add(shape, division(1, 4, 1, 5, 1, 512, 16, 4));
      add(shape, division(2, 1, 2, 1, 7, 512, 16, 8));
      // One step: blocks with fewer filters or units than warps, and last blocks smaller than the others.
      add(shape, division(3, 1, 1, 4, 3, 128));
      add(shape, division(3, 1, 1, 11, 2, 256));
      add(shape, division(3, 1, 1, 1, 7, 64));
      add(shape, division(3, 1, 1, 2, 1, 32));
      add(shape, division(3, 1, 1, 1, 22, 512));
    }
  }
  // Every load width and depth, with remainders of rows and filters in the last block, strip and piece.
  for (const std::int64_t bytes : {4, 8, 16}) {
    for (const std::int64_t in_flight : {1, 2, 4, 8})
      add(layer(1, 29, 31, 7, 5), division(3, 3, 2, 2, 2, 256, bytes, in_flight));
  }
  // Every height of tiles: strips of 1, 2, 3, 5 and 9 rows.
  for (const std::int64_t P : {1, 2, 3, 5, 9}) {
    for (const std::int64_t W : {17, 18, 19})
      add(layer(1, 11, W, 5, 3), division(1, P, 1, 2, 1, 128));
  }
  // One filter; one output; outputs fewer than a tile; as many strips as rows; as many pieces as filters.
  add(layer(1, 29, 31, 1, 5), division(1, 3, 1, 1, 1, 512));
  add(layer(1, 7, 7, 1, 7), division(1, 1, 1, 1, 1, 512));
  add(layer(1, 7, 7, 3, 7), division(2, 1, 3, 1, 1, 512));
  add(layer(1, 4, 5, 2, 3), division(3, 1, 1, 2, 2, 128));
  add(layer(1, 1, 3, 2, 1), division(3, 1, 1, 1, 1, 32));
  add(layer(1, 13, 16, 9, 5), division(1, 9, 1, 9, 1, 512));
  add(layer(1, 13, 16, 9, 5), division(2, 1, 9, 1, 9, 512));
  add(layer(1, 13, 16, 9, 5), division(3, 8, 4, 2, 1, 256));
  // More strips than the rows of a block; several images, some of them misaligned in memory.
  add(layer(1, 30, 30, 6, 3), division(3, 28, 1, 3, 7, 128));
  add(layer(3, 13, 11, 5, 3), division(1, 2, 1, 5, 1, 512));
  add(layer(3, 13, 11, 5, 3), division(3, 2, 2, 2, 2, 128, 16, 2));
  add(layer(5, 9, 9, 4, 1), division(2, 1, 2, 1, 3, 512));
  add(layer(3, 14, 12, 7, 3), division(3, 1, 1, 2, 2, 64));
  add(layer(2, 12, 13, 9, 3), division(3, 2, 1, 1, 3, 32));
  // An output beyond L2, whose units start at sectors: planes of one alignment, of two and of eight.
  add(layer(1, 1024, 1024, 17, 1), division(3, 1, 1, 2, 512, 256));
  add(layer(1, 1024, 1024, 20, 3), division(3, 1, 1, 1, 511, 512));
  add(layer(1, 1024, 1024, 20, 3), division(1, 64, 1, 20, 1, 512));
  add(layer(1, 1023, 1023, 20, 3), division(3, 1, 1, 3, 200, 128));
  add(layer(1, 1024, 1024, 17, 5), division(3, 4, 1, 1, 128, 256));
  // Layers of the size that is timed.
  add(layer(1, 224, 224, 64, 3), division(1, 8, 1, 64, 1, 512));
  add(layer(1, 224, 224, 64, 5), division(2, 1, 4, 1, 110, 512));
  add(layer(1, 112, 112, 128, 5), division(3, 1, 1, 16, 8, 256));
  add(layer(1, 112, 112, 128, 3), division(3, 1, 1, 16, 8, 256, 16, 8));
  return cases;
}

}  // namespace tilecast::chang_single
