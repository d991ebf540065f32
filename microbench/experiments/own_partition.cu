// Latency of L2 where each block reads a part of its own, launch after launch: a lane of each block goes
// through its part in random order, each address read from the one before, past L1. CSV to standard output.
// - bytes_apart: one word in each sector (32), or in each line (128)
// - mb: all parts together, of what lies between the words
// - launch: of four; the first one finds the data in L2 as the host's copy left them
// - cycles: of a load, mean of all
// - far: share of the loads that took more than 400
// - moved: blocks that ran on another SM in the launch before
//
// nvcc -O3 -std=c++17 -arch=sm_90a -o own_partition own_partition.cu && ./own_partition
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "experiment.hpp"

constexpr unsigned far_cycles = 400;
constexpr int results = 3, launches = 4;

__global__ void chase(const unsigned* next, unsigned places, unsigned words_apart, unsigned* out) {
  if (threadIdx.x > 0) return;
  const unsigned* part = next + static_cast<std::size_t>(blockIdx.x) * places * words_apart;
  unsigned at = 0, far = 0, total = 0;
  for (unsigned i = 0; i < places; ++i) {
    const unsigned begin = now();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(part + at * words_apart));
    // The clock is read behind the load's result.
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0xffffffff; @p trap;}" ::"r"(at));
    const unsigned cycles = now() - begin;
    total += cycles;
    far += cycles > far_cycles;
  }
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  unsigned* const own = out + blockIdx.x * results;
  own[0] = total / places, own[1] = far, own[2] = sm;
}

// The words of all parts; each part's are one cycle through its places.
std::vector<unsigned> cycles_through(int blocks, unsigned places, unsigned words_apart) {
  std::mt19937 random(1);
  std::vector<unsigned> words(static_cast<std::size_t>(blocks) * places * words_apart), order(places);
  for (int b = 0; b < blocks; ++b) {
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin() + 1, order.end(), random);
    for (unsigned i = 0; i < places; ++i)
      words[(static_cast<std::size_t>(b) * places + order[i]) * words_apart] = order[(i + 1) % places];
  }
  return words;
}

void measure(int blocks, int mb, unsigned words_apart) {
  const unsigned places = (static_cast<unsigned>(mb) << 20) / blocks / (4 * words_apart);
  const auto words = cycles_through(blocks, places, words_apart);
  auto* const next = device_room<unsigned>(words.size() * sizeof(unsigned));
  auto* const out = device_room<unsigned>(blocks * results * sizeof(unsigned));
  CHECK(cudaMemcpy(next, words.data(), words.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  std::vector<unsigned> sm_before(blocks, ~0U);
  for (int launch = 1; launch <= launches; ++launch) {
    chase<<<blocks, 32>>>(next, places, words_apart, out);
    const auto of = to_host(out, static_cast<std::size_t>(blocks) * results);
    double cycles = 0, far = 0;
    int moved = 0;
    for (int b = 0; b < blocks; ++b) {
      cycles += of[b * results], far += of[b * results + 1];
      if (launch > 1) moved += of[b * results + 2] != sm_before[b];
      sm_before[b] = of[b * results + 2];
    }
    std::printf("%u,%d,%d,%d,%.0f,%.3f,%d\n", 4 * words_apart, blocks, mb, launch, cycles / blocks,
                far / blocks / places, moved);
  }
  CHECK(cudaFree(next));
  CHECK(cudaFree(out));
}

int main() {
  std::printf("bytes_apart,blocks,mb,launch,cycles,far,moved\n");
  for (const unsigned words_apart : {8U, 32U})
    for (const int blocks : {2, 8, 32, 128})
      for (const int mb : {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48})
        if (blocks > 2 || mb <= 32) measure(blocks, mb, words_apart);
}
