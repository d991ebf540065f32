// The gemms' stores alone, four columns at a time: kernels of store_tile (kernels/gemm_tile/
// gemm_tile_device.hpp) with vectors, tiles of rows x columns of a matrix, so many threads at most on an SM.
// CSV to standard output: microseconds of a launch in replays of a graph.
//   nvcc -O3 -arch=sm_90a -o vector_tiles vector_tiles.cu && ./vector_tiles
#include <cstdio>

#include "experiment.hpp"

template <int TM, int TN, int lanes_n>
__global__ void tile(float* out, long long stride, int rows, int columns, int wm, int tiles_m, int bm,
                     int bn) {
  constexpr int lanes_m = 32 / lanes_n;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_n = lane / 2 % lanes_n, lane_m = lane % 2 + 2 * (lane / (2 * lanes_n));
  const int first_m = static_cast<int>(blockIdx.x % tiles_m) * bm + warp % wm * lanes_m * TM + 4 * lane_m;
  const int first_n = static_cast<int>(blockIdx.x / tiles_m) * bn + warp / wm * lanes_n * TN + 4 * lane_n;
  float* const first = out + first_m * stride;
  const float value = static_cast<float>(threadIdx.x);
#pragma unroll
  for (int j = 0; j < TN; j += 4) {
    const int n = first_n + j * lanes_n;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int m = i / 4 * 4 * lanes_m + i % 4;
      if (n < columns && first_m + m < rows)
        *reinterpret_cast<float4*>(first + m * stride + n) = make_float4(value, value, value + i, value + j);
    }
  }
}

struct Matrix {
  int rows, columns;
  long long stride;
};

template <int TM, int TN, int lanes_n>
void run(float* out, int wm, int wn) {
  const auto kernel = tile<TM, TN, lanes_n>;
  const int bm = wm * (32 / lanes_n) * TM, bn = wn * lanes_n * TN, threads = 32 * wm * wn;
  allow_shared(kernel, 220 * 1024);
  for (const Matrix m :
       {Matrix{96, 24976, 24976}, Matrix{96, 24976, 24992}, Matrix{112, 50176, 50176},
        Matrix{112, 50176, 50720}, Matrix{64, 150528, 150528}, Matrix{32, 262144, 262144},
        Matrix{32, 262144, 262688}, Matrix{32, 1048576, 1048576}, Matrix{32, 1048576, 1049120}})
    for (const int at_once : {256, 512, 1024}) {
      const int resident = at_once / threads;
      if (resident < 1 || resident > 32) continue;
      const int tiles_m = (m.rows + bm - 1) / bm, tiles_n = (m.columns + bn - 1) / bn;
      const int shared = 220 * 1024 / resident - 1152;
      const double us = graph_time_us(6, 3, [&](cudaStream_t stream) {
        kernel<<<tiles_m * tiles_n, threads, shared, stream>>>(out, m.stride, m.rows, m.columns, wm, tiles_m,
                                                               bm, bn);
      });
      std::printf("%dx%d,%d,%dx%d,%d,%d,%lld,%d,%.3f,%.0f\n", TM, TN, lanes_n, bm, bn, m.rows, m.columns,
                  m.stride, at_once, us, 4e-3 * m.rows * m.columns / us);
    }
}

int main() {
  auto* const out = device_room<float>(160 << 20);
  std::printf("thread_tile,lanes_n,block_tile,rows,columns,stride,threads_at_once,us,gb_a_second\n");
  run<4, 16, 4>(out, 1, 1);
  run<8, 8, 8>(out, 1, 4);
  run<16, 4, 16>(out, 1, 4);
  run<4, 8, 4>(out, 4, 2);
  run<4, 8, 4>(out, 1, 1);
  run<8, 16, 4>(out, 1, 2);
  run<8, 4, 8>(out, 4, 1);
}
