// What it costs DRAM that rows begin inside a sector: the gemms' stores alone (vector_tile.hpp), four columns
// at a time, over maps whose rows begin with a line, or 16, 32 or 64 bytes behind one. So the pieces that a
// row of lanes stores share sectors: with the same warp's next group of columns (threads of more than four),
// the warp's beside it, the tile's beside it. CSV to standard output: microseconds of a launch in replays of
// a graph, with so many warps at once on an SM.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o row_halves row_halves.cu && ./row_halves
#include <cstdio>

#include "vector_tile.hpp"

using vector_tile::Layout;

// Beyond L2: one image of 218 MB and one of 134, eight of 62, forty of 6; and one of 25 MB, which L2 keeps.
constexpr Layout layouts[] = {
    {1, 704, 77280}, {1, 32, 1048576}, {8, 656, 23712}, {40, 128, 12544}, {1, 192, 32768}};

template <int TM, int TN, int lanes_n>
__global__ void late_tile(float* out, Layout l, int wm, int tiles_m, int bm, int bn, int before) {
  const unsigned begin = now();
  while (static_cast<int>(now() - begin) < before) {
  }
  vector_tile::store_tile<TM, TN, lanes_n>(out, l, wm, tiles_m, bm, bn, blockIdx.x);
}

template <int TM, int TN, int lanes_n>
void tiles(float* out, int wm, int wn) {
  const auto kernel = late_tile<TM, TN, lanes_n>;
  const int bm = wm * (32 / lanes_n) * TM, bn = wn * lanes_n * TN, threads = 32 * wm * wn;
  allow_shared(kernel, 220 * 1024);
  for (const Layout& whole : layouts)
    for (const int behind : {0, 4, 8, 16})
      for (const int warps : {4, 8, 16, 32})
        for (const int before : {0, 1000, 2000, 4000, 8000}) {
          const Layout l{whole.images, whole.rows, whole.columns + behind};
          const int resident = warps / (wm * wn);
          const bool late = (l.rows == 704 || l.rows == 656) && behind <= 4 && (warps == 8 || warps == 16);
          if (resident < 1 || (before > 0 && !late)) continue;
          const int tiles_m = (l.rows + bm - 1) / bm, tiles_n = (l.images * l.columns + bn - 1) / bn;
          const int shared = std::max(0, 220 * 1024 / resident - 1152);
          const double us = graph_time_us(6, 5, [&](cudaStream_t stream) {
            kernel<<<tiles_m * tiles_n, threads, shared, stream>>>(out, l, wm, tiles_m, bm, bn, before);
          });
          std::printf("%dx%d,%d,%dx%d,%d,%d,%d,%d,%d,%d,%.3f,%.3f\n", TM, TN, lanes_n, bm, bn, warps,
                      l.images, l.rows, l.columns, 4 * behind, before, us,
                      4e-6 * l.images * l.rows * l.columns / us);
        }
}

int main() {
  auto* const out = device_room<float>(520LL << 20);
  std::printf(
      "thread_tile,lanes_n,block_tile,warps_at_once,images,rows,columns,bytes_behind,before,us,tb_per_s\n");
  tiles<4, 4, 8>(out, 1, 1), tiles<4, 4, 8>(out, 1, 2), tiles<4, 4, 8>(out, 2, 2), tiles<4, 4, 8>(out, 1, 4);
  tiles<8, 4, 8>(out, 1, 1), tiles<8, 4, 8>(out, 2, 2), tiles<8, 4, 8>(out, 1, 4), tiles<8, 4, 8>(out, 1, 8);
  tiles<16, 4, 8>(out, 1, 1), tiles<16, 4, 8>(out, 1, 2), tiles<16, 4, 8>(out, 2, 2);
  tiles<16, 4, 16>(out, 1, 1), tiles<16, 4, 16>(out, 1, 2), tiles<16, 4, 16>(out, 1, 4);
  tiles<4, 8, 4>(out, 1, 1), tiles<4, 8, 4>(out, 2, 2), tiles<4, 8, 4>(out, 1, 4), tiles<4, 8, 4>(out, 2, 1);
  tiles<8, 8, 8>(out, 1, 1), tiles<8, 8, 8>(out, 2, 1), tiles<8, 8, 8>(out, 1, 2), tiles<8, 8, 8>(out, 1, 4);
  tiles<8, 8, 4>(out, 1, 1), tiles<8, 8, 4>(out, 2, 1);
  tiles<16, 8, 8>(out, 1, 1), tiles<16, 8, 8>(out, 1, 2), tiles<16, 8, 8>(out, 2, 2);
  tiles<16, 8, 16>(out, 1, 1), tiles<16, 8, 4>(out, 1, 1);
  tiles<4, 16, 4>(out, 1, 1), tiles<4, 16, 4>(out, 1, 2), tiles<4, 16, 4>(out, 2, 2),
      tiles<4, 16, 2>(out, 1, 1);
  tiles<8, 16, 4>(out, 1, 1), tiles<8, 16, 4>(out, 2, 1), tiles<8, 16, 4>(out, 1, 2),
      tiles<8, 16, 8>(out, 1, 1), tiles<8, 16, 8>(out, 1, 2), tiles<8, 16, 2>(out, 1, 1);
}
