// Fences for the whole GPU of several blocks of an SM, one of which begins while another's is under way:
// whether it waits for that one, and for how long if the SM has accessed global memory meanwhile. CSV to
// standard output.
//   nvcc -O3 -arch=sm_90a -o fences_in_turn fences_in_turn.cu && ./fences_in_turn
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

__device__ __forceinline__ void wait_until(unsigned when) {
  while (static_cast<int>(now() - when) < 0) {
  }
}

enum Touch { before, copy, store };
constexpr const char* names[] = {"before", "copy", "store"};

// Blocks of an SM find each other by a counter of it; the first one says when rounds begin. In a round the
// block number b of its SM begins its fence b * delay cycles behind the first block's. All have loaded long
// before; touch: all but the first copy or store a word a lane once more, 30 cycles before their fence. out:
// cycles of the fences, by SM and block, mean of the rounds.
__global__ void __launch_bounds__(128, 1) fences(int touch, int delay, int rounds, float* data, int* arrived,
                                                 volatile unsigned* begins, int* out, int an_sm) {
  __shared__ int number;
  __shared__ float4 memory[128];
  const unsigned sm = sm_id();
  if (threadIdx.x == 0) {
    number = atomicAdd(arrived + sm, 1);
    if (number == 0) {
      while (atomicAdd(arrived + sm, 0) < an_sm) {
      }
      begins[sm] = (now() + 20000) | 1;
      __threadfence();
    }
    while (begins[sm] == 0) {
    }
  }
  __syncthreads();
  const int b = number;
  const unsigned begin = begins[sm];
  float* const mine = data + (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * 16;
  const auto target = shared_address(memory + threadIdx.x);
  long long sum = 0;
  float used = 0;
  for (int r = 0; r < rounds; ++r) {
    const unsigned round = begin + r * 12000;
    wait_until(round);
    used += *reinterpret_cast<volatile float*>(mine + r % 4);
    const unsigned at = round + 4000 + b * delay;
    if (b > 0 && touch != before) {
      wait_until(at - 30);
      if (touch == copy)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" ::"r"(target),
                     "l"(mine + r % 4)
                     : "memory");
      if (touch == store) *reinterpret_cast<volatile float*>(mine + 8) = r;
    }
    wait_until(at);
    const unsigned first = now();
    fence();
    const unsigned last = now();
    if (r > 0) sum += last - first;
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
  if (threadIdx.x == 0) out[sm * an_sm + b] = static_cast<int>(sum / (rounds - 1));
  if (used == 1.2345f) data[0] = 1;
}

int main() {
  constexpr int most_sms = 132, most = 8;
  auto* const data = device_room<float>(most_sms * most * 128 * 64, 0);
  auto* const arrived = device_room<int>(4 * 256);
  auto* const begins = device_room<unsigned>(4 * 256);
  auto* const out = device_room<int>(4 * 256 * most);
  allow_shared(fences, 220 * 1024);
  std::printf("touch,threads,blocks_an_sm,delay,block,fence_cycles_p10,fence_cycles,fence_cycles_p90\n");
  for (const int threads : {32, 128})
    for (const int an_sm : {2, 4, 8})
      for (const int touch : {before, copy, store})
        for (const int delay : {0, 50, 100, 200, 300, 400, 500, 600, 700, 900}) {
          if (an_sm > 2 && delay > 300) continue;
          CHECK(cudaMemset(arrived, 0, 4 * 256));
          CHECK(cudaMemset(begins, 0, 4 * 256));
          const int shared = 220 * 1024 / an_sm - 6 * 1024;
          fences<<<132 * an_sm, threads, shared>>>(touch, delay, 9, data, arrived, begins, out, an_sm);
          const auto h = to_host(out, 132 * an_sm);
          for (int b = 0; b < an_sm; ++b) {
            std::vector<int> v;
            for (int s = 0; s < 132; ++s)
              v.push_back(h[s * an_sm + b]);
            std::sort(v.begin(), v.end());
            std::printf("%s,%d,%d,%d,%d,%d,%d,%d\n", names[touch], threads, an_sm, delay, b, v[13], v[66],
                        v[118]);
          }
        }
  return 0;
}
