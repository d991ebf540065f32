// The gemms' stores with vectors alone, beyond L2, by how much of a row a warp's store has and how many rows
// (filters) there are: tiles of rows x columns of the maps of several images, so many threads at most on an
// SM. CSV to standard output: microseconds of a launch in replays of a graph.
//   nvcc -O3 -arch=sm_90a -o narrow_tiles narrow_tiles.cu && ./narrow_tiles
#include <cstdio>

#include "vector_tile.hpp"

using vector_tile::Layout;

template <int TM, int TN, int lanes_n>
void run(float* out, int wm, int wn) {
  const auto kernel = vector_tile::tile<TM, TN, lanes_n>;
  const int bm = wm * (32 / lanes_n) * TM, bn = wn * lanes_n * TN, threads = 32 * wm * wn;
  allow_shared(kernel, 220 * 1024);
  for (const Layout l : {Layout{11, 64, 47040}, Layout{11, 128, 47040}, Layout{11, 256, 47040},
                         Layout{40, 256, 12544}, Layout{1, 256, 517440}, Layout{3, 1024, 47040}})
    for (const int at_once : {128, 256, 512, 1024}) {
      const int resident = at_once / threads;
      if (resident < 1 || resident > 32) continue;
      const int tiles_m = (l.rows + bm - 1) / bm;
      const long long columns = static_cast<long long>(l.columns) * l.images;
      const auto tiles_n = static_cast<int>((columns + bn - 1) / bn);
      const int shared = 220 * 1024 / resident - 1152;
      const double us = graph_time_us(4, 3, [&](cudaStream_t stream) {
        kernel<<<tiles_m * tiles_n, threads, shared, stream>>>(out, l, wm, tiles_m, bm, bn);
      });
      std::printf("%dx%d,%d,%dx%d,%d,%d,%d,%d,%.3f,%.0f\n", TM, TN, lanes_n, bm, bn, l.rows, l.columns,
                  l.images, at_once, us, 4e-3 * l.rows * static_cast<double>(columns) / us);
      std::fflush(stdout);
    }
}

int main() {
  auto* const out = device_room<float>((size_t{1024} * 47040 * 3 + (1 << 20)) * sizeof(float));
  std::printf("thread_tile,lanes_n,block_tile,filters,pixels,images,threads_at_once,us,gb_a_second\n");
  run<8, 16, 2>(out, 1, 1);  // 128 x 32, 32 bytes of a row
  run<8, 8, 4>(out, 1, 1);   // 64 x 32, 64 bytes
  run<16, 4, 8>(out, 2, 1);  // 128 x 32, 128 bytes
  run<4, 8, 4>(out, 4, 1);   // 128 x 32, 64 bytes
  run<8, 16, 4>(out, 1, 1);  // 64 x 64, 64 bytes
  run<4, 16, 4>(out, 4, 1);  // 128 x 64
  run<8, 4, 8>(out, 2, 2);   // 64 x 64, 128 bytes
  run<16, 8, 8>(out, 1, 4);  // 64 x 256, 128 bytes
  run<16, 8, 8>(out, 2, 4);  // 128 x 256
  run<8, 8, 8>(out, 4, 2);   // 128 x 128
  run<8, 16, 8>(out, 8, 1);  // 256 x 128
  return 0;
}
