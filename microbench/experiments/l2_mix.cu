// Warps that read and warps that store at the same time: of one block an SM, 16 warps read `reads` times 512
// bytes each (16 bytes a lane, past L1), from L2 (128 KiB of each SM) or DRAM (a GiB), 16 store `stores`
// times into 64 KiB of each SM (L2): whole sectors (16 bytes a lane), or words 16 bytes apart (a line's
// sectors four times, as gemms with odd rows do). CSV to standard output: microseconds, of the median of 5
// launches.
//   nvcc -O3 -arch=sm_90a -o l2_mix l2_mix.cu && ./l2_mix
#include <algorithm>
#include <cstdio>

#include "experiment.hpp"

enum Kind { from_l2, from_dram };

template <bool words>
__global__ void __launch_bounds__(1024) mix(const float4* from, float* to, float* out, int reads, int stores,
                                            long long read_step, int read_mask) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp % 2) {
    const float4* const own = from + (blockIdx.x * 16LL + warp / 2) * 512 + lane;  // 8 KiB a warp
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < reads; ++i) {
      const float4 v = __ldcg(own + (i / 16) * read_step + (i & read_mask) * 32);
      sum += v.x + v.y;
    }
    if (sum == -1) *out = sum;
  } else {
    float* const own = to + (blockIdx.x * 16LL + warp / 2) * 1024;  // 4 KiB a warp
    for (int i = 0; i < stores; ++i) {
      if constexpr (words)
        own[i / 4 % 8 * 128 + lane * 4 + i % 4] = i;
      else
        *reinterpret_cast<float4*>(own + i % 8 * 128 + lane * 4) = make_float4(i, 1, 2, 3);
    }
  }
}

int main() {
  auto* const from = device_room<float4>(1LL << 30, 0);
  auto* const to = device_room<float>(64 << 20);
  std::printf("from,words,reads,stores,read_bytes,us\n");
  for (const Kind kind : {from_l2, from_dram})
    for (const int words : {0, 1})
      for (const int reads : {0, 256, 512, 1024})
        for (const int stores : {0, 64, 128, 256, 512, 1024}) {
          if (reads + stores == 0) continue;
          // From DRAM each sixteen reads go on to the next 132 x 128 KiB; 1024 reads are 64 of them (1.1 GB:
          // 60 fit).
          const long long step = kind == from_dram ? 132 * 16 * 512LL : 0;
          const int n = kind == from_dram ? std::min(reads, 60 * 16) : reads;
          const auto us = times_us(1, 5, [&] {
            if (words)
              mix<true><<<132, 1024>>>(from, to, to, n, stores, step, 15);
            else
              mix<false><<<132, 1024>>>(from, to, to, n, stores, step, 15);
          });
          std::printf("%s,%d,%d,%d,%lld,%.2f\n", kind == from_l2 ? "l2" : "dram", words, n, stores,
                      132LL * 16 * 512 * n, us[2]);
        }
}
