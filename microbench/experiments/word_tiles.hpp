#pragma once
// Stores of store_tile (kernels/gemm_tile/gemm_tile_device.hpp) alone: tiles of a matrix whose rows begin
// anywhere, word by word. Of tile_rows.cu and tile_pages.cu; tile_footprints.cu has images, and counts
// packets as here.

#include "experiment.hpp"

namespace word_tiles {

template <int TM, int TN, int lanes_n>
__global__ void tile(float* out, int stride, int rows, int columns, int wm, int tiles_m, int bm, int bn) {
  constexpr int lanes_m = 32 / lanes_n;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_n = lane / 2 % lanes_n, lane_m = lane % 2 + 2 * (lane / (2 * lanes_n));
  const int first_m = static_cast<int>(blockIdx.x % tiles_m) * bm + warp % wm * lanes_m * TM + 4 * lane_m;
  const int first_n = static_cast<int>(blockIdx.x / tiles_m) * bn + warp / wm * lanes_n * TN + 4 * lane_n;
  float* const first = out + static_cast<long long>(first_m) * stride;
  const float value = static_cast<float>(threadIdx.x);
#pragma unroll
  for (int j = 0; j < TN; ++j) {
    const int n = first_n + j / 4 * 4 * lanes_n + j % 4;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int m = i / 4 * 4 * lanes_m + i % 4;
      if (n < columns && first_m + m < rows) first[static_cast<long long>(m) * stride + n] = value;
    }
  }
}

// Of rows so many words apart: sectors and, of each line, the masks of all stores, in millions (S6).
inline double packets(int lanes_n, long long stride, long long rows, long long columns) {
  const long long span = 4 * (lanes_n - 1);
  double each = 0;
  for (long long row = 0; row < 32; ++row)
    for (int j = 0; j < 4; ++j) {
      const long long begin = (row * (stride % 32) + j) % 32, last = begin + span;
      each += static_cast<double>(last / 8 - begin / 8 + last / 32 - begin / 32 + 2) / 128;
    }
  return each * static_cast<double>(rows) * static_cast<double>(columns) / lanes_n / 1e6;
}

// Dynamic shared memory of a block that leaves an SM room for so many of its blocks.
inline int shared_of(int blocks_at_once) {
  return std::min(200000, 227 * 1024 / blocks_at_once - 1024 - 256);
}

struct Matrix {
  int rows, columns;
  int stride;  // words from row to row
};

// Blocks of wm x wn warps write it, at most so many warps at once on an SM. Prints
// `thread_tile,lanes_n,block_tile,warps_at_once,rows,`, then `own`, then
// `packets_m,us,cycles_a_packet`: us of a launch in replays of a graph; cycles of all SMs without 1.5 us for
// its begin and end.
template <int TM, int TN, int lanes_n>
void measure(float* data, const Matrix& matrix, int wm, int wn, int warps_at_once, double own) {
  constexpr int lanes_m = 32 / lanes_n;
  const auto kernel = tile<TM, TN, lanes_n>;
  allow_shared(kernel, 200000);
  const int bm = wm * lanes_m * TM, bn = wn * lanes_n * TN;
  const int tiles_m = (matrix.rows + bm - 1) / bm, tiles_n = (matrix.columns + bn - 1) / bn;
  const int shared = shared_of(std::max(1, std::min(32, warps_at_once / (wm * wn))));
  const double t = graph_time_us(6, 3, [&](cudaStream_t s) {
    kernel<<<tiles_m * tiles_n, 32 * wm * wn, shared, s>>>(data, matrix.stride, matrix.rows, matrix.columns,
                                                           wm, tiles_m, bm, bn);
  });
  const double all = packets(lanes_n, matrix.stride, matrix.rows, matrix.columns);
  std::printf("%dx%d,%d,%dx%d,%d,%d,%.0f,%.3f,%.3f,%.3f\n", TM, TN, lanes_n, bm, bn, warps_at_once,
              matrix.rows, own, all, t, (t - 1.5) * 1980 * 132 / (all * 1e6));
  std::fflush(stdout);
}

}  // namespace word_tiles
