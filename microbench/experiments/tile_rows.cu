// Stores of store_tile (kernels/gemm_tile/gemm_tile_device.hpp) alone, as in tile_footprints.cu, of 134 MB,
// by how many rows these are, which begin anywhere. CSV to standard output: us of a launch in replays of a
// graph; blocks of wm x wn warps of TM x TN words a thread, 32 / lanes_n rows of lanes; at most so many warps
// at once on an SM. `packets`: sectors and, of each line, the masks of all stores, in millions (S6).
//   nvcc -O3 -std=c++17 -arch=sm_90a -o tile_rows tile_rows.cu && ./tile_rows
#include <cstdio>

#include "word_tiles.hpp"

namespace {

template <int TM, int TN, int lanes_n>
void run(float* data, int wm, int wn) {
  for (const int warps : {4, 8, 16})
    for (const int rows : {64, 128, 256, 512, 1024}) {
      if (warps < wm * wn) continue;
      // 134 MB; rows begin anywhere, and not a power of two apart.
      const int columns = (1 << 25) / rows / 32 * 32 + 32 * 13 + 1;
      word_tiles::measure<TM, TN, lanes_n>(data, {rows, columns, columns}, wm, wn, warps, columns);
    }
}

}  // namespace

int main() {
  auto* const data = device_room<float>(200LL << 20);
  std::printf("thread_tile,lanes_n,block_tile,warps_at_once,rows,columns,packets_m,us,cycles_a_packet\n");
  run<4, 4, 8>(data, 1, 1);
  run<4, 4, 8>(data, 2, 2);
  run<4, 4, 8>(data, 8, 1);
  run<8, 4, 8>(data, 1, 2);
  run<8, 4, 8>(data, 2, 2);
  run<8, 4, 8>(data, 4, 1);
  run<8, 8, 8>(data, 1, 4);
  run<8, 8, 8>(data, 2, 1);
  run<8, 8, 8>(data, 4, 1);
  run<8, 8, 4>(data, 1, 1);
  run<16, 4, 8>(data, 1, 1);
  run<16, 4, 8>(data, 1, 4);
  run<16, 4, 8>(data, 2, 2);
  run<4, 8, 4>(data, 1, 2);
  run<4, 16, 4>(data, 1, 1);
  run<4, 16, 4>(data, 1, 4);
  run<4, 16, 4>(data, 4, 1);
  run<4, 16, 2>(data, 2, 1);
  run<16, 8, 8>(data, 1, 1);
  run<16, 8, 8>(data, 1, 4);
  run<8, 16, 4>(data, 1, 2);
}
