// How warps of four schedulers that share the SM's memory pipe come apart. Each goes round: `loads` loads of
// shared memory, additions that wait for each of them, `ffmas` multiply-adds that wait for each other. Warp w
// begins w * `later` cycles later (and two for reading its clock). CSV to standard output: of some rounds the
// cycle in which the first of the four warps begins it, since round 0, and how much later each of them does.
// Loads of 4 bytes take the pipe one cycle; of 8, lanes 16 bytes apart, and of 16 four cycles.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o bursts_apart bursts_apart.cu && ./bursts_apart
#include <algorithm>
#include <cstdio>

#include "experiment.hpp"

constexpr int rounds = 24, warps = 4;

template <int bytes, int loads, int ffmas>
__global__ void __launch_bounds__(32 * warps, 1)
    go_round(const float* numbers, unsigned* begins, float* out, int later) {
  __shared__ __align__(16) float words[4096];
  for (int i = threadIdx.x; i < 4096; i += 32 * warps)
    words[i] = numbers[i % 32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned from = shared_address(words) + lane * (bytes == 4 ? 4 : 16);
  constexpr int pitch = bytes == 4 ? 128 : 512;
  float y = numbers[3];
  __syncthreads();
  const unsigned start = now();
  while (now() - start < 400U + warp * later) {
  }
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    const unsigned begin = now();
    float x[loads][4];
#pragma unroll
    for (int l = 0; l < loads; ++l) {
      if constexpr (bytes == 16)
        asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x[l][0]), "=f"(x[l][1]), "=f"(x[l][2]), "=f"(x[l][3])
                     : "r"(from + l * pitch));
      if constexpr (bytes == 8)
        asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];"
                     : "=f"(x[l][0]), "=f"(x[l][1])
                     : "r"(from + l * pitch));
      if constexpr (bytes == 4)
        asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x[l][0]) : "r"(from + l * pitch));
    }
#pragma unroll
    for (int l = 0; l < loads; ++l)
      asm volatile("add.f32 %0, %0, %1;" : "+f"(y) : "f"(x[l][0]));
#pragma unroll
    for (int i = 0; i < ffmas; ++i)
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(x[0][0]));
    if (lane == 0) begins[warp * rounds + r] = begin;
  }
  out[threadIdx.x] = y;
}

template <int bytes, int loads, int ffmas>
void measure(const float* numbers, unsigned* begins, float* out) {
  for (const int later : {0, 40}) {
    for (int i = 0; i < 2; ++i)  // the first one brings the code
      go_round<bytes, loads, ffmas><<<1, 32 * warps>>>(numbers, begins, out, later);
    const auto all = to_host(begins, warps * rounds);
    const auto first_of = [&](int r) {
      unsigned first = all[r];
      for (int w = 1; w < warps; ++w)
        first = soonest(all[w * rounds + r], first);
      return first;
    };
    for (const int r : {0, 1, 2, 3, 4, 5, 6, 9, 12, 18, 23}) {
      const unsigned first = first_of(r);
      std::printf("%d,%d,%d,%d,%d,%u", bytes, loads, ffmas, later, r, first - first_of(0));
      for (int w = 0; w < warps; ++w)
        std::printf(",%u", all[w * rounds + r] - first);
      std::printf("\n");
    }
  }
}

int main() {
  const float* const numbers = device_room<float>(4096, 0);
  unsigned* const begins = device_room<unsigned>(4096);
  float* const out = device_room<float>(4096);
  std::printf("bytes,loads,ffmas,later,round,cycle,warp_0,warp_1,warp_2,warp_3\n");
  measure<8, 12, 40>(numbers, begins, out);
  measure<8, 12, 10>(numbers, begins, out);
  measure<8, 4, 20>(numbers, begins, out);
  measure<16, 8, 40>(numbers, begins, out);
  measure<16, 4, 20>(numbers, begins, out);
  measure<16, 2, 10>(numbers, begins, out);
  measure<4, 16, 20>(numbers, begins, out);
}
