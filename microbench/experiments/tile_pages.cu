// Stores of store_tile (kernels/gemm_tile/gemm_tile_device.hpp) alone, as in tile_footprints.cu, 134 MB of
// rows that begin anywhere, by how far apart the rows lie: 512 rows of 65,537 words or 128 of 262,145, with
// gaps behind them so that all lie within `mb_range`. CSV to standard output: us of a launch in replays of a
// graph; blocks of wm x wn warps of TM x TN words a thread, 32 / lanes_n rows of lanes; at most so many warps
// at once on an SM. `packets`: sectors and, of each line, the masks of all stores, in millions (S6).
//   nvcc -O3 -std=c++17 -arch=sm_90a -o tile_pages tile_pages.cu && ./tile_pages
#include <cstdio>

#include "experiment.hpp"

namespace {

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

// Rows of lanes begin at any word: sectors and lines of each, in millions of all stores.
double packets(int lanes_n, long long stride, long long rows, long long columns) {
  const long long span = 4 * (lanes_n - 1);
  double each = 0;
  for (long long row = 0; row < 32; ++row)
    for (int j = 0; j < 4; ++j) {
      const long long begin = (row * (stride % 32) + j) % 32, last = begin + span;
      each += static_cast<double>(last / 8 - begin / 8 + last / 32 - begin / 32 + 2) / 128;
    }
  return each * static_cast<double>(rows) * static_cast<double>(columns) / lanes_n / 1e6;
}

template <int TM, int TN, int lanes_n>
void run(float* data, int wm, int wn) {
  constexpr int lanes_m = 32 / lanes_n;
  const auto kernel = tile<TM, TN, lanes_n>;
  allow_shared(kernel, 200000);
  for (const int rows : {512, 128})
    for (const int warps : {4, 8, 16})
      for (int apart = 1; apart <= 8; apart *= 2) {
        if (warps < wm * wn) continue;
        const int columns = (1 << 25) / rows + 1, stride = apart * (columns - 1) + 1;
        const int bm = wm * lanes_m * TM, bn = wn * lanes_n * TN;
        const int tiles_m = (rows + bm - 1) / bm, tiles_n = (columns + bn - 1) / bn;
        const int at_once = std::max(1, std::min(32, warps / (wm * wn)));
        const int shared = std::min(200000, 227 * 1024 / at_once - 1024 - 256);
        const double t = graph_time_us(6, 3, [&](cudaStream_t s) {
          kernel<<<tiles_m * tiles_n, 32 * wm * wn, shared, s>>>(data, stride, rows, columns, wm, tiles_m, bm,
                                                                 bn);
        });
        const double all = packets(lanes_n, stride, rows, columns);
        std::printf("%dx%d,%d,%dx%d,%d,%d,%.0f,%.3f,%.3f,%.3f\n", TM, TN, lanes_n, bm, bn, warps, rows,
                    4e-6 * static_cast<double>(rows) * stride, all, t, (t - 1.5) * 1980 * 132 / (all * 1e6));
        std::fflush(stdout);
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
