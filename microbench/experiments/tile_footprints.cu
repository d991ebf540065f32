// Stores of store_tile (kernels/gemm_tile/gemm_tile_device.hpp) alone, as in tile_stores.cu, by the bytes
// that are written: what L2 keeps from one replay to the next and what it must hand to DRAM. CSV to standard
// output: us of a launch in replays of a graph, of a copy of C of so many rows with rows of `pixels` words of
// `images` images (the next image's rows lie behind all rows of this one), its first tiles those of the rows.
// Blocks of wm x wn warps of TM x TN words a thread, 32 / lanes_n rows of lanes; at most so many warps at
// once on an SM. `packets`: sectors and, of each line, the masks of all stores, in millions (S6).
//   nvcc -O3 -std=c++17 -arch=sm_90a -o tile_footprints tile_footprints.cu && ./tile_footprints
#include <cstdio>

#include "word_tiles.hpp"

namespace {

template <int TM, int TN, int lanes_n>
__global__ void tile(float* out, int pixels, int rows, int columns, int wm, int tiles_m, int bm, int bn) {
  constexpr int lanes_m = 32 / lanes_n;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_n = lane / 2 % lanes_n, lane_m = lane % 2 + 2 * (lane / (2 * lanes_n));
  const int first_m = static_cast<int>(blockIdx.x % tiles_m) * bm + warp % wm * lanes_m * TM + 4 * lane_m;
  const int first_n = static_cast<int>(blockIdx.x / tiles_m) * bn + warp / wm * lanes_n * TN + 4 * lane_n;
  float* const first = out + static_cast<long long>(first_m) * pixels;
  const float value = static_cast<float>(threadIdx.x);
#pragma unroll
  for (int j = 0; j < TN; ++j) {
    const int n = first_n + j / 4 * 4 * lanes_n + j % 4;
    float* const here = first + static_cast<long long>(n / pixels) * rows * pixels + n % pixels;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int m = i / 4 * 4 * lanes_m + i % 4;
      if (n < columns && first_m + m < rows) here[static_cast<long long>(m) * pixels] = value;
    }
  }
}

struct Bench {
  float* data;

  template <int TM, int TN, int lanes_n>
  void run(int wm, int wn, int warps_at_once, int pixels, int rows, int images) const {
    constexpr int lanes_m = 32 / lanes_n;
    const int bm = wm * lanes_m * TM, bn = wn * lanes_n * TN, columns = pixels * images;
    const int tiles_m = (rows + bm - 1) / bm, tiles_n = (columns + bn - 1) / bn;
    const auto kernel = tile<TM, TN, lanes_n>;
    allow_shared(kernel, 200000);
    const int blocks_at_once = std::max(1, std::min(32, warps_at_once / (wm * wn)));
    const int shared = word_tiles::shared_of(blocks_at_once);
    const double t = graph_time_us(6, 3, [&](cudaStream_t s) {
      kernel<<<tiles_m * tiles_n, 32 * wm * wn, shared, s>>>(data, pixels, rows, columns, wm, tiles_m, bm,
                                                             bn);
    });
    const double all = word_tiles::packets(lanes_n, pixels, rows, columns);
    std::printf("%dx%d,%d,%dx%d,%d,%d,%d,%d,%d,%.2f,%.3f,%.3f,%.3f\n", TM, TN, lanes_n, bm, bn,
                tiles_m * tiles_n, warps_at_once, pixels, rows, images,
                4e-6 * static_cast<double>(rows) * columns, all, t, (t - 1.5) * 1980 * 132 / (all * 1e6));
    std::fflush(stdout);
  }

  template <int TM, int TN, int lanes_n>
  void shapes(int wm, int wn) const {
    for (const int warps : {4, 8, 16})
      if (warps >= wm * wn && TM * TN * warps <= 2048) {
        // One image, 134 MB: rows begin anywhere, with every second or fourth word, with a line.
        for (const int pixels : {199809, 199810, 199812, 199808})
          run<TM, TN, lanes_n>(wm, wn, warps, pixels, 168, 1);
        // Images of odd size: 88, 134, 257, 512 MB.
        run<TM, TN, lanes_n>(wm, wn, warps, 10045, 273, 8);
        run<TM, TN, lanes_n>(wm, wn, warps, 10045, 273, 12);
        run<TM, TN, lanes_n>(wm, wn, warps, 3025, 483, 44);
        run<TM, TN, lanes_n>(wm, wn, warps, 8723, 272, 54);
      }
  }

  // By footprint, rows that begin anywhere (and with a line).
  template <int TM, int TN, int lanes_n>
  void footprints(int wm, int wn, int warps) const {
    for (const int off : {1, 0})
      for (const int rows : {12, 25, 37, 50, 62, 75, 100, 137, 200, 300, 500})
        run<TM, TN, lanes_n>(wm, wn, warps, 199808 + off, rows, 1);
    for (const int images : {1, 2, 3, 4, 5, 6, 8, 12, 18, 27, 54})
      run<TM, TN, lanes_n>(wm, wn, warps, 8723, 272, images);
  }
};

}  // namespace

int main() {
  Bench bench{};
  bench.data = device_room<float>(640LL << 20);
  std::printf(
      "thread_tile,lanes_n,block_tile,blocks,warps_at_once,pixels,rows,images,mb,packets_m,us,"
      "cycles_a_packet\n");
  bench.footprints<4, 4, 8>(1, 2, 16);
  bench.footprints<8, 4, 8>(1, 2, 16);
  bench.footprints<8, 8, 8>(2, 1, 8);
  bench.footprints<8, 16, 4>(1, 2, 8);
  bench.shapes<4, 4, 8>(2, 2);
  bench.shapes<4, 8, 4>(1, 2);
  bench.shapes<4, 16, 4>(1, 2);
  bench.shapes<8, 4, 8>(2, 2);
  bench.shapes<8, 8, 8>(2, 1);
  bench.shapes<8, 16, 4>(1, 2);
  bench.shapes<8, 16, 4>(2, 4);
  bench.shapes<16, 4, 8>(1, 2);
  bench.shapes<16, 8, 8>(1, 1);
  return 0;
}
