// What small kernels take where they have few blocks, in replays of a graph: blocks that leave at once, that
// load or store once, that load several times in turn, that go through code of some length, and that do all
// of it. CSV to standard output: microseconds from one kernel to the next.
//   nvcc -O3 -arch=sm_90a -o few_blocks few_blocks.cu && ./few_blocks
#include <cstdio>

#include "experiment.hpp"

// Each load's address depends on the one before; all words are zero.
template <int loads, int chain, bool stores, int shared_rounds>
__global__ void __launch_bounds__(256, 1) work(float* out, const int* in, float a, float b) {
  __shared__ float tile[256];
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  int v = 0;
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    v = in[at + v + i * 65536];
  }
  float x = a + static_cast<float>(v);
#pragma unroll 1
  for (int i = 0; i < chain; i += 64) {
#pragma unroll
    for (int k = 0; k < 64; ++k)
      x = x * b + a;
  }
#pragma unroll 1
  for (int i = 0; i < shared_rounds; ++i) {
    tile[threadIdx.x] = x;
    __syncthreads();
    x += tile[threadIdx.x ^ 33];
    __syncthreads();
  }
  if (stores || x == 123.0F) out[at] = x;
}

// Straight code of `chain` multiply-adds.
template <int chain, bool loads_and_stores>
__global__ void __launch_bounds__(256, 1) straight(float* out, const int* in, float a, float b) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a;
  if (loads_and_stores) x += static_cast<float>(in[at]);
#pragma unroll
  for (int k = 0; k < chain; ++k)
    x = x * b + a;
  if (loads_and_stores || x == 123.0F) out[at] = x;
}

using Kernel = void (*)(float*, const int*, float, float);

int main() {
  auto* const out = device_room<float>(64 << 20);
  auto* const in = device_room<int>(64 << 20, 0);
  const struct {
    const char* name;
    Kernel kernel;
  } kernels[] = {{"empty", work<0, 0, false, 0>},          {"load", work<1, 0, false, 0>},
                 {"load2", work<2, 0, false, 0>},          {"load4", work<4, 0, false, 0>},
                 {"load8", work<8, 0, false, 0>},          {"store", work<0, 0, true, 0>},
                 {"load_store", work<1, 0, true, 0>},      {"load4_store", work<4, 0, true, 0>},
                 {"fma512", work<0, 512, false, 0>},       {"fma2048", work<0, 2048, false, 0>},
                 {"fma8192", work<0, 8192, false, 0>},     {"fma512_ls", work<1, 512, true, 0>},
                 {"fma2048_ls", work<1, 2048, true, 0>},   {"shared16", work<0, 0, false, 16>},
                 {"shared16_ls", work<1, 0, true, 16>},    {"straight512", straight<512, false>},
                 {"straight1024", straight<1024, false>},  {"straight512_ls", straight<512, true>},
                 {"straight1024_ls", straight<1024, true>}};
  std::printf("kernel,threads,blocks,us\n");
  for (const auto& k : kernels)
    for (const int threads : {64, 256})
      for (const int blocks : {1, 2, 4, 8, 16, 24, 32, 48, 66, 100, 132}) {
        const double us = graph_time_us(
            400, 9, [&](cudaStream_t s) { k.kernel<<<blocks, threads, 0, s>>>(out, in, 0.F, 1.F); });
        std::printf("%s,%d,%d,%.4f\n", k.name, threads, blocks, us);
      }
}
