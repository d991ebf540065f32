// How many stores an SM takes before a warp must wait for the way to L2, and whether shared loads of other
// warps wait behind them. CSV to standard output: cycles from the start until store i has been issued, and
// cycles a shared load takes beside them; medians over the SMs of the last round.
//   nvcc -O3 -arch=sm_90a -o store_queue store_queue.cu && ./store_queue
#include <cstdio>
#include <vector>

#include "experiment.hpp"

constexpr int most_stores = 64;
constexpr int loads = 64;

// Warps but the last store 16 bytes a lane, `stores` times in a row; the last one loads from shared memory
// meanwhile, each load's address from the one before. Rounds: the last one's times stay.
__global__ void __launch_bounds__(1024, 1)
    stores_and_loads(float4* data, int* issued, int* loaded, int stores, int rounds) {
  __shared__ int chain[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int storing = blockDim.x / 32 - 1;
  if (warp == storing) chain[lane] = lane;
  float4* const mine = data + (static_cast<long long>(blockIdx.x) * storing + warp) * most_stores * 32 + lane;
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
    const long long start = clock64();
    if (warp < storing) {
      for (int i = 0; i < stores; ++i) {
        mine[i * 32] = make_float4(r, i, 2, 3);
        if (lane == 0 && warp == 0)
          issued[blockIdx.x * most_stores + i] = static_cast<int>(clock64() - start);
      }
    } else {
      int at = lane;
      for (int i = 0; i < loads; ++i) {
        const long long before = clock64();
        at = reinterpret_cast<volatile int*>(chain)[at];
        if (at < 0) issued[0] = at;  // waits for it
        if (lane == 0) loaded[blockIdx.x * loads + i] = static_cast<int>(clock64() - before);
      }
    }
    __threadfence();
    __syncthreads();
  }
}

int main() {
  const int sms = sm_count();
  auto* const data = device_room<float4>(sizeof(float4) * 32 * most_stores * 31 * sms);
  auto* const issued = managed_room<int>(sizeof(int) * most_stores * sms);
  auto* const loaded = managed_room<int>(sizeof(int) * loads * sms);
  std::printf("blocks,storing_warps,kind");
  for (int i = 0; i < loads; ++i)
    std::printf(",cycles_%d", i);
  std::printf("\n");
  for (const int blocks : {1, sms / 2, sms}) {
    for (const int warps : {0, 1, 2, 4, 8, 16, 31}) {
      stores_and_loads<<<blocks, 32 * (warps + 1)>>>(data, issued, loaded, most_stores, 4);
      CHECK(cudaDeviceSynchronize());
      const auto print = [&](const char* kind, const int* times, int count) {
        std::printf("%d,%d,%s", blocks, warps, kind);
        for (int i = 0; i < count; ++i) {
          std::vector<int> all;
          for (int b = 0; b < blocks; ++b)
            all.push_back(times[b * count + i]);
          std::printf(",%d", median(all));
        }
        std::printf("\n");
      };
      if (warps > 0) print("store", issued, most_stores);
      print("load", loaded, loads);
    }
  }
}
