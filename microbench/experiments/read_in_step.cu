// How long SMs that walk the same data wait for it where L2 has not got it: groups of `readers` blocks, one
// an SM, copy the same lines in the same order, `copies` of 16 bytes a lane a round, and wait for each
// round's copies when the next one's are under way. Blocks of a group are next to each other in the grid
// (`far` 0) or as far apart as can be (1). CSV to standard output: cycles a round (median of the blocks,
// least of four launches), of data that DRAM has, and again, of what L2 has since.
//   nvcc -O3 -arch=sm_90a -o read_in_step read_in_step.cu && ./read_in_step
#include <algorithm>
#include <cstdio>

#include "experiment.hpp"

constexpr int lanes_of_warp = 32, rounds = 96, blocks = 132, most_copies = 4;

template <int copies>
__global__ void run(const char* data, int readers, int far, unsigned* cycles) {
  extern __shared__ char buffer[];
  const int warp = threadIdx.x / lanes_of_warp, warps = blockDim.x / lanes_of_warp;
  const int set = far ? blockIdx.x % (blocks / readers) : blockIdx.x / readers;
  const int row = lanes_of_warp * 16;
  const unsigned round_bytes = warps * copies * row;
  const char* from =
      data + set * size_t{round_bytes} * rounds + warp * copies * row + threadIdx.x % lanes_of_warp * 16;
  const auto to = shared_address(buffer) + threadIdx.x * 16;
  unsigned begin = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    if (r == 1) asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
#pragma unroll
    for (int n = 0; n < copies; ++n)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + (r % 2 * copies + n) * warps * row),
                   "l"(from + n * row)
                   : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    from += round_bytes;
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  unsigned end;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

template <int copies>
void row(const char* data, float4* flush, size_t flush_bytes, unsigned* cycles, int warps, int readers,
         int far) {
  constexpr int shared = 100 * 1024;
  const auto kernel = run<copies>;
  allow_shared(kernel, shared);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  double least[2] = {1e30, 1e30};
  for (int time = 0; time < 4; ++time) {
    wipe<<<528, 256>>>(flush, flush_bytes / 16);
    for (double& best : least) {
      kernel<<<blocks, warps * lanes_of_warp, shared>>>(data, readers, far, cycles);
      CHECK(cudaDeviceSynchronize());
      best = std::min(best, median(to_host(cycles, blocks)) / (rounds - 1.0));
    }
  }
  std::printf("%d,%d,%d,%d,%.1f,%.1f\n", copies, warps, readers, far, least[0], least[1]);
  std::fflush(stdout);
}

template <int copies>
void rows(const char* data, float4* flush, size_t flush_bytes, unsigned* cycles) {
  for (const int warps : {2, 4, 8})
    for (const int readers : {1, 2, 4, 12, 33, 132})
      for (const int far : {0, 1})
        if (readers > 1 || far == 0) row<copies>(data, flush, flush_bytes, cycles, warps, readers, far);
}

int main() {
  constexpr size_t flush_bytes = 256 << 20;
  auto* const data = device_room<char>(size_t{blocks} * rounds * most_copies * 8 * 512, 0);
  auto* const flush = device_room<float4>(flush_bytes);
  auto* const cycles = managed_room<unsigned>(blocks * sizeof(unsigned));
  std::printf("copies,warps,readers,far,cycles_from_dram,cycles_again\n");
  rows<1>(data, flush, flush_bytes, cycles);
  rows<2>(data, flush, flush_bytes, cycles);
  rows<4>(data, flush, flush_bytes, cycles);
  return 0;
}
