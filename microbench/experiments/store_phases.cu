// Blocks that compute, then store 256 bytes a thread from registers, in 1 to 8 waves, several an SM: how fast
// L2 takes stores where it is the limit, and what waves take where it is not. Stores of 4 or 16 bytes a lane,
// a warp's next to each other; into 32 MB that later blocks store again (`in_l2`), or each block's own. With
// 4 bytes a lane the compiler leaves out twelve of the sixteen sums. CSV to standard output: us of a launch
// in replays of a graph; and from one launch's clocks, of the first, the second and the last wave, mean
// cycles of computation, of the stores (until the last is issued), and from a block's last store to the next
// block's begin (k-th end to k-th begin of the next wave).
//   nvcc -O3 -std=c++17 -arch=sm_90a -o store_phases store_phases.cu && ./store_phases
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>
#include "experiment.hpp"
struct Times {
  long long start, computed, stored;
  int sm, pad;
};
template <class T>
__device__ T of(const float* s, int a);
template <>
__device__ float of<float>(const float* s, int a) {
  return s[a];
}
template <>
__device__ float4 of<float4>(const float* s, int a) {
  return make_float4(s[a], s[a + 4], s[a + 8], s[a + 12]);
}
template <class T>
__global__ void __launch_bounds__(512) phases(T* out, Times* times, int chains, int stores, int mask) {
  extern __shared__ float room[];
  const int threads = blockDim.x;
  Times t;
  t.start = clock64();
  float sum[16];
#pragma unroll
  for (int i = 0; i < 16; ++i)
    sum[i] = static_cast<float>(threadIdx.x + i);
  const float factor = 1.0f + 1e-9f * static_cast<float>(stores);
#pragma unroll 1
  for (int c = 0; c < chains; ++c) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int i = 0; i < 16; ++i)
        sum[i] = sum[i] * factor + 1.0f;
    }
  }
  if (sum[3] == -1.0f) room[threadIdx.x] = sum[5];
  t.computed = clock64();
  T* to = out + static_cast<long long>(blockIdx.x & mask) * stores * threads + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < stores; i += 4) {
#pragma unroll
    for (int a = 0; a < 4; ++a) {
      *to = of<T>(sum, a);
      to += threads;
    }
  }
  t.stored = clock64();
  if (threadIdx.x == 0) {
    t.sm = static_cast<int>(sm_id());
    times[blockIdx.x] = t;
  }
}
template <class T>
void measure(T* out, Times* times, const char* name) {
  const int sms = sm_count();
  allow_shared(phases<T>, 220 * 1024);
  struct Size {
    int threads, k;
  };
  const int words = sizeof(T) / 4;
  for (const int work : {0, 1, 2, 4})
    for (const bool in_l2 : {true, false})
      for (const Size z : std::vector<Size>{
               {128, 1}, {128, 2}, {128, 4}, {128, 8}, {256, 1}, {256, 2}, {256, 4}, {512, 1}, {512, 2}})
        for (const int waves : {1, 2, 3, 4, 8}) {
          // 32 KB a block of 128 threads; computation: `work` times half as long as L2 takes for an SM's
          // stores of a wave
          const int stores = 64 / words, chains = work * 16;
          const int blocks = sms * z.k * waves;
          const int in = (32 << 20) / (256 * z.threads);
          const int mask = in_l2 ? in - 1 : (1 << 30) - 1;
          const std::size_t shared = 220 * 1024 / z.k - 1152;
          const double us = graph_times_us(20, 1, 3, [&](cudaStream_t s) {
            phases<T><<<blocks, z.threads, shared, s>>>(out, times, chains, stores, mask);
          })[0];
          std::map<int, std::vector<Times>> by;
          for (int b = 0; b < blocks; ++b)
            by[times[b].sm].push_back(times[b]);
          double c[3] = {}, st[3] = {}, gap[3] = {}, n[3] = {}, gn[3] = {};
          for (auto& [_, l] : by) {
            std::sort(l.begin(), l.end(), [](const Times& a, const Times& b) { return a.start < b.start; });
            if (static_cast<int>(l.size()) != z.k * waves) continue;
            std::vector<long long> ends;
            for (auto& t : l)
              ends.push_back(t.stored);
            std::sort(ends.begin(), ends.end());
            for (int i = 0; i < static_cast<int>(l.size()); ++i) {
              const int w = i / z.k, slot = w == 0 ? 0 : w == waves - 1 ? 2 : 1;
              if (w > 1 && slot == 1) continue;
              c[slot] += l[i].computed - l[i].start, st[slot] += l[i].stored - l[i].computed, ++n[slot];
              if (i + z.k < static_cast<int>(l.size())) gap[slot] += l[i + z.k].start - ends[i], ++gn[slot];
            }
          }
          std::printf("%s,%d,%d,%d,%d,%d,%d,%d,%.3f", name, z.threads, stores, chains, in_l2, z.k, waves,
                      (int)by.size(), us);
          for (int i = 0; i < 3; ++i)
            std::printf(",%.0f,%.0f,%.0f", c[i] / std::max(1.0, n[i]), st[i] / std::max(1.0, n[i]),
                        gap[i] / std::max(1.0, gn[i]));
          std::printf("\n");
        }
}
int main() {
  auto* const out = device_room<float4>(512LL << 20);
  auto* const times = managed_room<Times>(sizeof(Times) * 132 * 8 * 8);
  std::printf(
      "store,threads,stores,chains,in_l2,blocks_an_sm,waves,sms,us,compute_1,store_1,gap_1,compute_2,store_2,"
      "gap_2,compute_last,store_last,gap_last\n");
  measure<float4>(out, times, "16");
  measure<float>(reinterpret_cast<float*>(out), times, "4");
}
