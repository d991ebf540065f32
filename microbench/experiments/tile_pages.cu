// Stores of store_tile (kernels/gemm_tile/gemm_tile_device.hpp) alone, as in tile_footprints.cu, 134 MB of
// rows that begin anywhere, by how far apart the rows lie: 512 rows of 65,537 words or 128 of 262,145, with
// gaps behind them so that all lie within `mb_range`. CSV to standard output: us of a launch in replays of a
// graph; blocks of wm x wn warps of TM x TN words a thread, 32 / lanes_n rows of lanes; at most so many warps
// at once on an SM. `packets`: sectors and, of each line, the masks of all stores, in millions (S6).
//   nvcc -O3 -std=c++17 -arch=sm_90a -o tile_pages tile_pages.cu && ./tile_pages
#include <cstdio>

#include "word_tiles.hpp"

namespace {

template <int TM, int TN, int lanes_n>
void run(float* data, int wm, int wn) {
  for (const int rows : {512, 128})
    for (const int warps : {4, 8, 16})
      for (int apart = 1; apart <= 8; apart *= 2) {
        if (warps < wm * wn) continue;
        const int columns = (1 << 25) / rows + 1, stride = apart * (columns - 1) + 1;
        const double mb_range = 4e-6 * static_cast<double>(rows) * stride;
        word_tiles::measure<TM, TN, lanes_n>(data, {rows, columns, stride}, wm, wn, warps, mb_range);
      }
}

}  // namespace

int main() {
  auto* const data = device_room<float>(1200LL << 20);
  std::printf("thread_tile,lanes_n,block_tile,warps_at_once,rows,mb_range,packets_m,us,cycles_a_packet\n");
  run<4, 4, 8>(data, 2, 2);
  run<8, 4, 8>(data, 2, 2);
  run<8, 8, 8>(data, 2, 1);
  run<8, 8, 4>(data, 1, 1);
  run<16, 4, 8>(data, 1, 1);
  run<4, 16, 4>(data, 1, 2);
  run<4, 16, 2>(data, 2, 1);
  run<16, 8, 8>(data, 1, 1);
}
