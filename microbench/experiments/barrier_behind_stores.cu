// How long a block's barrier takes behind its own stores: W warps of a block store K times, 128 bytes a warp
// to global or 512 bytes a warp to shared memory, then meet; long after the stores before. CSV to standard
// output: cycles from the last store's issue until the barrier is open, the median over warps, blocks and
// times.
//   nvcc -O3 -arch=sm_90a -o barrier_behind_stores barrier_behind_stores.cu && ./barrier_behind_stores
#include <cstdio>

#include "experiment.hpp"

constexpr int times = 16;

template <int stores, bool global>
__global__ void run(char* data, unsigned* cycles) {
  __shared__ uint4 buffer[1024];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  char* const to = data + (blockIdx.x * static_cast<long long>(blockDim.x / 32) + warp) * 4096 + lane * 4;
  const unsigned shared = shared_address(buffer + threadIdx.x);
  for (int n = 0; n < times; ++n) {
    const unsigned begin = now();
    while (now() - begin < 4000) {
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < stores; ++k) {
      if (global)
        asm volatile("st.global.b32 [%0], %1;" ::"l"(to + k * 128), "r"(n) : "memory");
      else
        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(shared), "r"(n) : "memory");
    }
    const unsigned before = now();
    asm volatile("bar.sync 0;" ::: "memory");
    const unsigned after = now();
    if (lane == 0) cycles[(blockIdx.x * (blockDim.x / 32) + warp) * times + n] = after - before;
  }
}

template <int stores, bool global>
void rows(char* data, unsigned* cycles) {
  for (const int blocks : {1, 132 * 8})
    for (const int warps : {1, 2, 4, 8}) {
      run<stores, global><<<blocks, 32 * warps>>>(data, cycles);
      CHECK(cudaDeviceSynchronize());
      const auto all = sorted(to_host(cycles, blocks * warps * times));
      std::printf("%s,%d,%d,%d,%u,%u\n", global ? "global" : "shared", stores, blocks, warps,
                  all[all.size() / 2], all[all.size() * 9 / 10]);
    }
}

int main() {
  auto* const data = device_room<char>(132 * 8 * 8 * 4096);
  auto* const cycles = managed_room<unsigned>(132 * 8 * 8 * times * sizeof(unsigned));
  std::printf("stores_to,stores,blocks,warps,cycles_median,cycles_p90\n");
  rows<0, true>(data, cycles);
  rows<1, true>(data, cycles);
  rows<4, true>(data, cycles);
  rows<8, true>(data, cycles);
  rows<16, true>(data, cycles);
  rows<4, false>(data, cycles);
  rows<16, false>(data, cycles);
  return 0;
}
