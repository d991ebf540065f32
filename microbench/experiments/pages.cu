// What reads of L2 take by how many pages of 2 MiB they lie in: 32,768 lines (4 MiB), as many of each page,
// at places that differ from page to page. CSV to standard output:
// - bandwidth, GB/s: two blocks of 16 warps an SM, each warp four lines a load, lines at random.
//   `own`: pages that an SM reads, next to each other; 0: all of them.
// - latency, cycles a load: one thread, line after line at random.
//
// nvcc -O3 -std=c++17 -arch=sm_90a -o pages pages.cu && ./pages
#include <cstdint>
#include <cstdio>

#include "experiment.hpp"

constexpr unsigned line_bits = 15, lines = 1U << line_bits;
constexpr unsigned page_bytes_log2 = 21, line_bytes_log2 = 7,
                   lines_of_page_log2 = page_bytes_log2 - line_bytes_log2;
constexpr int warps = 16, loads_at_once = 8, loads = 512, chased = 20000;

__host__ __device__ __forceinline__ unsigned next_of(unsigned state) {
  return state * 1664525U + 1013904223U;
}

// Where line `l` lies, in bytes: in page l modulo 2^pages_log2.
__device__ __forceinline__ std::size_t place_of(unsigned l, unsigned pages_log2) {
  const unsigned page = l & ((1U << pages_log2) - 1), in_page = l >> pages_log2;
  const unsigned apart_log2 = lines_of_page_log2 - (line_bits - pages_log2);
  const unsigned shift = (page * 2654435761U >> 7) & ((1U << apart_log2) - 1);
  return (static_cast<std::size_t>(page) << page_bytes_log2) +
         (static_cast<std::size_t>((in_page << apart_log2) + shift) << line_bytes_log2);
}

__global__ void __launch_bounds__(32 * warps)
    read(const char* data, unsigned pages_log2, unsigned own_log2, float* out) {
  const unsigned lane = threadIdx.x % 32, pages = 1U << pages_log2;
  unsigned state = (threadIdx.x / 32 + blockIdx.x * warps) * 747796405U + 2891336453U;
  float sum = 0;
  for (int i = 0; i < loads; i += loads_at_once) {
    float4 v[loads_at_once];
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) {
      state = next_of(state);
      unsigned l = ((state >> 4) + lane / 8 * 2654435761U) % lines;
      if (own_log2 < pages_log2)
        l = (l & ~(pages - 1)) | (blockIdx.x << own_log2 & (pages - 1)) | (l & ((1U << own_log2) - 1));
      v[k] = __ldcg(reinterpret_cast<const float4*>(data + place_of(l, pages_log2)) + lane % 8);
    }
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k)
      sum += v[k].x + v[k].y + v[k].z + v[k].w;
  }
  if (sum != 0) out[0] = sum;  // the data are zeros
}

__global__ void chase(const char* data, unsigned pages_log2, long long* cycles) {
  unsigned state = 1;
  for (int pass = 0; pass < 2; ++pass) {  // the first one brings the lines
    const long long begin = clock64();
    for (int i = 0; i < chased; ++i) {
      const unsigned l = state * 2654435761U >> (32 - line_bits);
      const unsigned found = __ldcg(reinterpret_cast<const unsigned*>(data + place_of(l, pages_log2)));
      state = next_of(state) + found;
    }
    cycles[0] = clock64() - begin;
  }
  cycles[1] = state;  // so that the loads are needed
}

int main() {
  constexpr unsigned most_log2 = 13;
  const char* const data = device_room<char>(std::size_t{1} << (page_bytes_log2 + most_log2), 0);
  float* const out = device_room<float>(64);
  auto* const cycles = managed_room<long long>(8);
  std::printf("kind,pages,own,value\n");
  for (unsigned pages_log2 = 2; pages_log2 <= most_log2; ++pages_log2) {
    for (const unsigned own_log2 : {most_log2 + 1, 1U, 3U}) {
      if (own_log2 <= most_log2 && own_log2 >= pages_log2) continue;
      const int blocks = 2 * sm_count();
      const auto us = times_us(2, 5, [&] { read<<<blocks, 32 * warps>>>(data, pages_log2, own_log2, out); });
      std::printf("bandwidth,%u,%u,%.0f\n", 1U << pages_log2, own_log2 < pages_log2 ? 1U << own_log2 : 0,
                  1e-3 * blocks * 32 * warps * 16.0 * loads / us[2]);
    }
    const auto least = least_cycles(3, cycles, [&] { chase<<<1, 1>>>(data, pages_log2, cycles); });
    std::printf("latency,%u,0,%.1f\n", 1U << pages_log2, static_cast<double>(least) / chased);
  }
}
