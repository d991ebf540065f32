// Where in the SM's shared memory blocks lie, launch after launch: blocks of `kib` KiB, so many on each SM at
// once, one after the other measure how fast copies through L1 to their first 2 KiB are (of 16 bytes a lane,
// 32 KB of data in L2; to the upper half of the store they are slower: shared_halves.cu), and leave in the
// order in which they came, or (together) all at once. 40 launches without anything between. CSV to standard
// output, of two SMs: launch, the block's turn, cycles of 64 copies.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o shared_ring shared_ring.cu && ./shared_ring
#include <cstdio>
#include <vector>

#include "experiment.hpp"
#include "shared_places.hpp"

constexpr int launches = 40, rounds = 10, first = 2, copies = 16, threads = 128, turn_cycles = 9000;
constexpr int most_sms = 256;
__device__ unsigned arrived[most_sms];

struct Row {
  unsigned sm, turn;
  float cycles;
};

__global__ void run(const float* data, Row* rows, int at_once, bool together) {
  extern __shared__ float buffer[];
  __shared__ unsigned order;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x == 0) order = atomicAdd(&arrived[sm], 1) % at_once;
  __syncthreads();
  const long long came = clock64();
  while (clock64() - came < static_cast<long long>(order) * turn_cycles) {
  }
  const float* const from = data + 4 * threadIdx.x;
  const unsigned to = shared_address(buffer) + 16 * threadIdx.x;
  long long begin = 0;
  for (int r = 0; r < rounds; ++r) {
    if (r == first) begin = clock64();
#pragma unroll
    for (int c = 0; c < copies; ++c)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + c * 4 * threads)
                   : "memory");
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  }
  const long long end = clock64();
  if (threadIdx.x == 0) rows[blockIdx.x] = {sm, order, static_cast<float>(end - begin) / (rounds - first)};
  while (together && clock64() - came < static_cast<long long>(at_once) * turn_cycles) {
  }
}

int main() {
  const int sms = sm_count();
  const float* const data = random_numbers(1 << 16);
  auto* const kept = device_room<float>(sizeof(float));
  allow_shared(run, 226 * 1024);
  CHECK(cudaFuncSetAttribute(run, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  struct Blocks {
    int at_once, kib;
  };
  std::printf("blocks,kib,together,sm,launch,turn,cycles\n");
  for (const auto [at_once, kib] : {Blocks{1, 72}, {1, 100}, {2, 12}, {2, 72}, {2, 100}, {3, 60}, {4, 12}}) {
    for (const bool together : {false, true}) {
      begin_shared_memory_anew(data, kept);
      const std::vector<unsigned> none(most_sms);
      CHECK(cudaMemcpyToSymbol(arrived, none.data(), sizeof(unsigned) * most_sms));
      const int blocks = sms * at_once;
      auto* const rows = device_room<Row>(sizeof(Row) * launches * blocks);
      for (int n = 0; n < launches; ++n)
        run<<<blocks, threads, kib * 1024>>>(data, rows + n * blocks, at_once, together);
      const auto all = to_host(rows, launches * blocks);
      for (int n = 0; n < launches; ++n)
        for (int b = 0; b < blocks; ++b)
          if (const Row& row = all[n * blocks + b]; row.sm == 5 || row.sm == 77)
            std::printf("%d,%d,%d,%u,%d,%u,%.1f\n", at_once, kib, together, row.sm, n, row.turn, row.cycles);
      CHECK(cudaFree(rows));
    }
  }
}
