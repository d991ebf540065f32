// What a kernel takes beyond its blocks' work, by what the blocks do at their end and by what they are:
// replays of a graph of 200 launches, us a kernel. Each block waits for a load and then
//   stores: stores `stores` times 16 bytes a lane, 512 bytes a warp (rows 0), or rows of 128 bytes 1 MB apart
//     (rows 1); sums: the same rows again and again (rows 2), so that L2 has few lines to hold.
//   pairs: the same in rows, by the number of SMs; us with and without the stores.
//   registers: holds so many registers for `stay` cycles, and stores nothing.
//   nvcc -O3 -arch=sm_90a -o kernel_ends kernel_ends.cu && ./kernel_ends
#include <cstdio>

#include "experiment.hpp"

__global__ void stores(const float* in, char* out, int count, int rows, unsigned* last) {
  const unsigned begin = now();
  const float x = *(volatile const float*)(in + threadIdx.x);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const float4 v = make_float4(x, x, x, x);
  const long long mine = static_cast<long long>(blockIdx.x) * warps + warp;
  char* to;
  long long step;
  if (rows == 0) {
    to = out + mine * count * 512 + lane * 16, step = 512;
  } else {  // four rows of 128 bytes an instruction
    to = out + (lane / 8) * (1LL << 20) + mine % 4096 * 128 + lane % 8 * 16 + mine / 4096 * (512LL << 20);
    step = rows == 1 ? 4LL << 20 : 0;
  }
  for (int i = 0; i < count; ++i)
    *reinterpret_cast<float4*>(to + i * step) = v;
  if (last && threadIdx.x == 0) last[blockIdx.x] = now() - begin;
}

template <int registers>
__global__ void __launch_bounds__(256, 1) holds(const float* in, float* out, int stay) {
  __shared__ float words[256];
  words[threadIdx.x % 256] = *(volatile const float*)(in + threadIdx.x % 256);
  __syncthreads();
  float x[registers];
#pragma unroll
  for (int i = 0; i < registers; ++i)
    x[i] = *(volatile float*)(words + i);
  const unsigned begin = now();
  while (now() - begin < static_cast<unsigned>(stay)) {
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < registers; ++i)
    sum = sum * 1.5f + x[i];
  if (sum == 1.2345f) out[threadIdx.x] = sum;
}

constexpr int nodes = 200;

template <class Launch>
double replay(const Launch& launch) {
  return graph_time_us(nodes, 3, launch);
}

template <int registers>
void hold(const float* in, float* out) {
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, holds<registers>));
  for (const int threads : {32, 128, 256})
    for (const int an_sm : {1, 2, 4, 8})
      for (const int stay : {0, 2000}) {
        if (threads * attributes.numRegs * an_sm > 65536) continue;
        const double us =
            replay([&](cudaStream_t s) { holds<registers><<<132 * an_sm, threads, 0, s>>>(in, out, stay); });
        std::printf("registers,%d,%d,%d,0,%d,%.3f,\n", 132 * an_sm, threads, attributes.numRegs, stay, us);
      }
}

int main() {
  auto* const in = device_room<float>(1 << 20, 0);
  auto* const out = device_room<char>(3ULL << 30);
  auto* const last = device_room<unsigned>(4 << 12);
  std::printf("experiment,blocks,threads,stores_or_registers,rows,stay,us,block_cycles\n");
  for (const int rows : {0, 1, 2})
    for (const int blocks : {16, 50, 98, 132, 264, 528})
      for (const int threads : {32, 128, 512})
        for (const int count : {0, 1, 2, 4, 8, 16, 32, 64}) {
          if (rows == 0 && static_cast<long long>(blocks) * threads * count * 16 > 40 << 20) continue;
          if (rows == 1 &&
              (count * 4 > 512 || static_cast<long long>(blocks) * threads * count * 16 > 40 << 20))
            continue;
          const double us = replay(
              [&](cudaStream_t s) { stores<<<blocks, threads, 0, s>>>(in, out, count, rows, nullptr); });
          stores<<<blocks, threads>>>(in, out, count, rows, last);
          const unsigned cycles = median(to_host(last, blocks));
          std::printf("stores,%d,%d,%d,%d,0,%.3f,%u\n", blocks, threads, count, rows, us, cycles);
        }
  // Beside each other in pairs: from how many SMs on are stores slower?
  for (const int blocks : {33, 60, 64, 65, 66, 67, 68, 70, 80, 100, 120, 131, 132})
    for (const int count : {8, 16}) {
      const double us =
          replay([&](cudaStream_t s) { stores<<<blocks, 512, 0, s>>>(in, out, count, 1, nullptr); });
      const double none =
          replay([&](cudaStream_t s) { stores<<<blocks, 512, 0, s>>>(in, out, 0, 1, nullptr); });
      std::printf("pairs,%d,512,%d,1,0,%.3f,%.3f\n", blocks, count, us, none);
    }
  hold<8>(in, reinterpret_cast<float*>(out));
  hold<64>(in, reinterpret_cast<float*>(out));
  hold<110>(in, reinterpret_cast<float*>(out));
  hold<200>(in, reinterpret_cast<float*>(out));
  return 0;
}
