// How a burst of asynchronous copies past L1 (cp.async.cg, 16 bytes a lane), longer and longer, passes an
// SM's memory pipe before its data have come, by where its rows begin within a line and how many places in
// shared memory they take in turn. W warps of a block copy rows of 512 bytes, one after the other and the
// warps' rows behind each other, all `shift` bytes behind a line's begin, into `targets` places in turn; then
// a shared load. CSV to standard output: cycles from the begin until the first warp has issued its 1st, 2nd,
// 4th, ... last copy, until its shared load is back, and until all has come; of the slowest of `blocks`
// blocks' medians, the least of four launches.
//   nvcc -O3 -arch=sm_90a -o past_l1_bursts past_l1_bursts.cu && ./past_l1_bursts
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

constexpr int lanes_of_warp = 32, copies = 48, row_bytes = 512;
constexpr int marks[] = {1, 2, 4, 8, 12, 16, 24, 32, 48};
constexpr int columns = sizeof marks / sizeof *marks + 2;

template <int targets>
__device__ __forceinline__ void burst(const char* from, unsigned step, unsigned to, unsigned read_at,
                                      unsigned (&at)[copies + 2], float& total) {
  const unsigned begin = now();
#pragma unroll
  for (int n = 0; n < copies; ++n) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + n % targets * row_bytes), "l"(from)
                 : "memory");
    from += step;
    at[n] = now() - begin;
  }
  float v;
  asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(read_at) : "memory");
  total += v;
  asm volatile("" ::"f"(total) : "memory");
  at[copies] = now() - begin;
  asm volatile("cp.async.wait_all;" ::: "memory");
  at[copies + 1] = now() - begin;
}

template <int targets>
__global__ void run(const char* data, const char* other, size_t of_block, float* out, unsigned* cycles) {
  extern __shared__ char buffer[];
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp;
  const int warps = blockDim.x / lanes_of_warp;
  const auto base = shared_address(buffer);
  const unsigned to = base + 1024 + warp * copies * row_bytes + lane * 16;
  unsigned at[copies + 2];
  float total = 0;
#pragma unroll 1
  for (int time = 0; time < 2; ++time) {  // first of all, the code is there
    __syncthreads();
    const char* const from =
        time == 0 ? other + lane * 16 : data + blockIdx.x * of_block + warp * row_bytes + lane * 16;
    burst<targets>(from, time == 0 ? 0 : row_bytes * warps, to, base + lane * 4, at, total);
  }
  if (total == 12345.0F) out[0] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned* const mine = cycles + blockIdx.x * columns;
    constexpr int wanted[] = {1, 2, 4, 8, 12, 16, 24, 32, 48};
#pragma unroll
    for (int n = 0; n < columns - 2; ++n)
      mine[n] = at[wanted[n] - 1];
    mine[columns - 2] = at[copies], mine[columns - 1] = at[copies + 1];
  }
}

constexpr size_t flush_bytes = 256 << 20;

template <int targets>
void rows(char* data, char* other, float4* flush, float* out, unsigned* cycles) {
  constexpr int shared = 224 * 1024;
  const auto kernel = run<targets>;
  allow_shared(kernel, shared);
  for (const int blocks : {1, 132})
    for (const int warps : {1, 2, 4, 8})
      for (const unsigned shift : {0U, 16U, 32U, 48U, 64U, 112U})
        for (const bool dram : {true, false}) {
          std::vector<unsigned> least(columns, ~0U);
          for (int time = 0; time < 4; ++time) {
            if (dram) wipe<<<528, 256>>>(flush, flush_bytes / 16);
            kernel<<<blocks, warps * lanes_of_warp, shared>>>(
                data + shift, other, size_t{row_bytes} * warps * copies + 4096, out, cycles);
            CHECK(cudaDeviceSynchronize());
            for (int n = 0; n < columns; ++n) {
              std::vector<unsigned> all(blocks);
              for (int i = 0; i < blocks; ++i)
                all[i] = cycles[i * columns + n];
              least[n] = std::min(least[n], median(all));
            }
          }
          std::printf("%d,%d,%d,%u,%s", targets, blocks, warps, shift, dram ? "dram" : "l2");
          for (const unsigned v : least)
            std::printf(",%u", v);
          std::printf("\n");
          std::fflush(stdout);
        }
}

int main() {
  auto* const data = device_room<char>(256 << 20, 0);
  auto* const other = device_room<char>(1 << 16, 0);
  auto* const flush = device_room<float4>(flush_bytes);
  auto* const out = device_room<float>(4);
  auto* const cycles = managed_room<unsigned>(132 * columns * sizeof(unsigned));
  std::printf("targets,blocks,warps,shift,where");
  for (const int m : marks)
    std::printf(",issued_%d", m);
  std::printf(",shared_load,come\n");
  rows<8>(data, other, flush, out, cycles);
  rows<copies>(data, other, flush, out, cycles);
  return 0;
}
