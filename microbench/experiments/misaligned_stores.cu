// Stores of planes whose length is no multiple of a sector: a warp stores 128 bytes in a row, 4 a lane, which
// begin in the middle of a sector; the neighbouring warp's store fills the rest of its last one. Blocks of W
// warps store M planes of `plane` floats one after the other, each warp 32 floats of each, as chang_multi
// does. CSV to standard output: bytes that an SM stores a cycle, of so many SMs; `apart`: cycles that each
// warp waits before each store at most (drawn), so that neighbours do not come together.
//   nvcc -O3 -arch=sm_90a -o misaligned_stores misaligned_stores.cu && ./misaligned_stores
#include <cstdio>

#include "experiment.hpp"

__global__ void store(float* data, int planes, int plane, int tiles, int rounds, int apart,
                      unsigned long long* cycles) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned random = 12345u * (blockIdx.x * 32 + warp + 1);
  __syncthreads();
  const long long begin = clock64();
  for (int r = 0; r < rounds; ++r) {
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      float* const mine = data + tile * static_cast<int>(blockDim.x) + warp * 32 + lane;
#pragma unroll 4
      for (int m = 0; m < planes; ++m) {
        mine[static_cast<long long>(m) * plane] = static_cast<float>(r);
        if (apart > 0) {
          random = random * 1664525u + 1013904223u;
          const long long until = clock64() + (random >> 8) % static_cast<unsigned>(apart);
          while (clock64() < until) {
          }
        }
      }
    }
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - begin;
}

int main() {
  auto* const data = device_room<float>(1 << 27);
  auto* const cycles = managed_room<unsigned long long>(8 * 1024);
  std::printf("sms,warps,plane,apart,bytes_a_cycle\n");
  for (const int sms : {1, 38, 132})
    for (const int warps : {4, 12, 16})
      for (const int plane : {188416, 188417, 188418, 188420})
        for (const int apart : {0, 100}) {
          const int planes = 48, tiles = 188000 / (32 * warps), rounds = sms == 1 ? 1 : 5;
          for (int time = 0; time < 2; ++time) {
            store<<<sms, 32 * warps>>>(data, planes, plane, tiles, rounds, apart, cycles);
            CHECK(cudaDeviceSynchronize());
          }
          const double bytes = 4.0 * 32 * warps * planes * tiles * rounds / sms;
          std::printf("%d,%d,%d,%d,%.2f\n", sms, warps, plane, apart,
                      bytes / static_cast<double>(median(to_host(cycles, sms))));
        }
  return 0;
}
