// Warps that go through the same long straight code at different places: what their schedulers lose to
// fetching instructions that the SM's instruction cache holds. A loop of eight segments of FFMAs that wait
// for each other in `chains` chains; warps begin at the same segment, or spread over them. CSV to standard
// output: cycles of a scheduler for each of its FFMAs, of the slowest warp, by a difference of two numbers of
// rounds.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o code_phases code_phases.cu && ./code_phases
#include <algorithm>
#include <cstdio>
#include <vector>
#include "experiment.hpp"

template <int chains, int length>
__device__ __forceinline__ void segment(float (&x)[8], float f) {
#pragma unroll
  for (int i = 0; i < length; ++i)
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % chains]) : "f"(f));
}

// spread: 0: all at the first segment; 1: by warps of the scheduler; 2: by scheduler; 3: by both
template <int chains, int length>
__global__ void __launch_bounds__(1024) go(float* out, long long* cycles, int rounds, int spread) {
  float x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = threadIdx.x + i;
  const float f = 1.0f + 1e-9f * rounds;
  const int warp = threadIdx.x / 32, of_scheduler = warp / 4, scheduler = warp % 4;
  const int most = max(1, static_cast<int>(blockDim.x) / 128);
  int at = 0;
  if (spread == 1) at = of_scheduler * 8 / most % 8;
  if (spread == 2) at = scheduler * 2;
  if (spread == 3) at = (of_scheduler * 8 / most + scheduler * 2 + (most > 1 ? scheduler / 2 : 0)) % 8;
  at = __shfl_sync(~0u, at, 0);
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    switch (at) {
      case 0:
        segment<chains, length>(x, f);
      case 1:
        segment<chains, length>(x, f);
      case 2:
        segment<chains, length>(x, f);
      case 3:
        segment<chains, length>(x, f);
      case 4:
        segment<chains, length>(x, f);
      case 5:
        segment<chains, length>(x, f);
      case 6:
        segment<chains, length>(x, f);
      default:
        segment<chains, length>(x, f);
    }
    at = 0;
  }
  const long long end = clock64();
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += x[i];
  if (sum == -1.0f) out[threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) cycles[blockIdx.x * 32 + warp] = end - begin;
}

template <int chains, int length>
void measure(float* out, long long* cycles) {
  for (const int warps : {1, 2, 3, 4, 6, 8}) {
    std::printf("%d,%d,%d", chains, 8 * length, warps);
    for (int spread = 0; spread < 4; ++spread) {
      double took[2];
      for (int i = 0; i < 2; ++i) {
        const int rounds = i ? 24 : 8;
        long long least = 1LL << 60;
        for (int n = 0; n < 4; ++n) {
          go<chains, length><<<132, 128 * warps>>>(out, cycles, rounds, spread);
          CHECK(cudaDeviceSynchronize());
          long long most = 0;
          for (int w = 0; w < 4 * warps; ++w)
            most = std::max(most, cycles[w]);
          least = std::min(least, most);
        }
        took[i] = static_cast<double>(least);
      }
      std::printf(",%.3f", (took[1] - took[0]) / 16 / (8 * length) / warps);
    }
    std::printf("\n");
  }
}

int main() {
  auto* const out = device_room<float>(4096);
  auto* const cycles = managed_room<long long>(132 * 32 * sizeof(long long));
  std::printf("chains,ffmas,warps_a_scheduler,same,by_warp,by_scheduler,by_both\n");
  measure<1, 8>(out, cycles);
  measure<1, 32>(out, cycles);
  measure<1, 64>(out, cycles);
  measure<1, 128>(out, cycles);
  measure<1, 192>(out, cycles);
  measure<2, 8>(out, cycles);
  measure<2, 32>(out, cycles);
  measure<2, 128>(out, cycles);
  measure<2, 192>(out, cycles);
  measure<4, 32>(out, cycles);
  measure<4, 128>(out, cycles);
  measure<4, 192>(out, cycles);
}
