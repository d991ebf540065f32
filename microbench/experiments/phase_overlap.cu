// Whether blocks of an SM that load, compute and store one after the other stay together, wave after wave, or
// drift apart and fill each other's gaps. CSV to standard output: of grids of 1 to 16 waves, the kernel's
// time in replays of a graph, and from one launch's clocks: the phases' mean lengths, and how far apart the
// SM's blocks begin to store, in shares of the mean time between a block's start and its successor's.
//   nvcc -O3 -arch=sm_90a -o phase_overlap phase_overlap.cu && ./phase_overlap
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "experiment.hpp"

constexpr int most_threads = 512, most_blocks_an_sm = 16, most_waves = 16;
constexpr int replays = 20;

struct Times {
  long long start, loaded, computed, stored;
  int sm, pad;
};

// `out_mask`: blocks write the same places again after so many, so that the output stays in L2.
__global__ void __launch_bounds__(most_threads) phases(const float4* in, float4* out, Times* times, int loads,
                                                       int chains, int stores, int in_mask, int out_mask) {
  extern __shared__ float room[];
  const int threads = blockDim.x;
  Times t;
  t.start = clock64();
  float sum[16];
#pragma unroll
  for (int i = 0; i < 16; ++i)
    sum[i] = static_cast<float>(threadIdx.x + i);
  const float4* const from =
      in + static_cast<long long>(blockIdx.x & in_mask) * loads * threads + threadIdx.x;
  float4 got = make_float4(0, 0, 0, 0);
#pragma unroll 16
  for (int i = 0; i < loads; ++i) {
    const float4 v = __ldcg(from + i * threads);
    got.x += v.x, got.y += v.y, got.z += v.z, got.w += v.w;
  }
  sum[0] += got.x + got.y + got.z + got.w;
  __syncthreads();
  t.loaded = clock64();
  const float factor = 1.0f + 1e-9f * static_cast<float>(loads);
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
  float4* const to = out + static_cast<long long>(blockIdx.x & out_mask) * stores * threads + threadIdx.x;
#pragma unroll 8
  for (int i = 0; i < stores; ++i) {
    const int a = i & 3;
    to[i * threads] = make_float4(sum[a], sum[a + 4], sum[a + 8], sum[a + 12]);
  }
  t.stored = clock64();
  if (threadIdx.x == 0) {
    t.sm = static_cast<int>(sm_id());
    times[blockIdx.x] = t;
  }
}

int main() {
  const int sms = sm_count();
  const long long bytes = 512LL << 20;
  auto* const in = device_room<float4>(bytes, 0);
  auto* const out = device_room<float4>(bytes);
  auto* const times = managed_room<Times>(sizeof(Times) * sms * most_blocks_an_sm * most_waves);
  allow_shared(phases, 220 * 1024);
  std::printf(
      "threads,loads,chains,stores,in_l2,blocks_an_sm,waves,us,load_cycles,compute_cycles,store_cycles,"
      "store_start_spread,first_wave_spread,last_wave_spread\n");
  struct Mix {
    int loads, chains, stores;
    bool in_l2;
  };
  // Of 64 FFMA a chain; loads and stores of 16 bytes a thread.
  const std::vector<Mix> mixes = {{0, 64, 0, true},  {0, 0, 16, true},   {0, 16, 16, true},
                                  {0, 32, 16, true}, {0, 64, 16, true},  {0, 64, 16, false},
                                  {16, 64, 0, true}, {16, 64, 16, true}, {0, 256, 64, true}};
  struct Blocks {
    int threads, an_sm;
  };
  const std::vector<Blocks> sizes = {{32, 2},  {32, 4},  {32, 5},  {32, 6},  {32, 8},  {32, 12}, {32, 16},
                                     {64, 2},  {64, 3},  {64, 4},  {64, 5},  {64, 6},  {64, 8},  {128, 1},
                                     {128, 2}, {128, 3}, {128, 4}, {128, 5}, {128, 6}, {128, 8}, {256, 1},
                                     {256, 2}, {256, 3}, {256, 4}, {512, 1}, {512, 2}};
  for (const auto& mix : mixes) {
    for (const auto& size : sizes) {
      const int threads = size.threads, resident = size.an_sm;
      const std::size_t shared = 220 * 1024 / resident - 1152;
      for (const int waves : {1, 2, 3, 4, 6, 8, most_waves}) {
        const int blocks = sms * resident * waves;
        // Blocks' places, a power of two.
        const int in_l2 = (16 << 20) / (std::max(16, mix.stores) * 16 * threads);
        const int in_mask = in_l2 - 1, out_mask = (mix.in_l2 ? in_l2 : 32 * in_l2) - 1;
        const double us = graph_times_us(replays, 1, 3, [&](cudaStream_t stream) {
          phases<<<blocks, threads, shared, stream>>>(in, out, times, mix.loads, mix.chains, mix.stores,
                                                      in_mask, out_mask);
        })[0];
        // By SM, in the order in which blocks begin: each `resident` are a wave.
        std::map<int, std::vector<Times>> of_sm;
        double load = 0, compute = 0, store = 0;
        for (int b = 0; b < blocks; ++b) {
          of_sm[times[b].sm].push_back(times[b]);
          load += static_cast<double>(times[b].loaded - times[b].start) / blocks;
          compute += static_cast<double>(times[b].computed - times[b].loaded) / blocks;
          store += static_cast<double>(times[b].stored - times[b].computed) / blocks;
        }
        double all = 0, first = 0, last = 0;
        int counted = 0;
        for (auto& [_, list] : of_sm) {
          std::sort(list.begin(), list.end(),
                    [](const Times& a, const Times& b) { return a.start < b.start; });
          if (static_cast<int>(list.size()) != resident * waves) continue;
          ++counted;
          const double whole = static_cast<double>(list.back().stored - list.front().start) / waves;
          for (int w = 0; w < waves; ++w) {
            long long from = list[w * resident].computed, to = from;
            for (int i = 0; i < resident; ++i) {
              from = std::min(from, list[w * resident + i].computed);
              to = std::max(to, list[w * resident + i].computed);
            }
            const double spread = static_cast<double>(to - from) / whole;
            all += spread / waves;
            if (w == 0) first += spread;
            if (w == waves - 1) last += spread;
          }
        }
        const double n = std::max(1, counted);
        std::printf("%d,%d,%d,%d,%d,%d,%d,%.3f,%.0f,%.0f,%.0f,%.3f,%.3f,%.3f\n", threads, mix.loads,
                    mix.chains, mix.stores, mix.in_l2 ? 1 : 0, resident, waves, us, load, compute, store,
                    all / n, first / n, last / n);
      }
    }
  }
}
