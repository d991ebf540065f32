// What a block's parts take while the SM's other blocks, and all other SMs, store: blocks of W warps, R an
// SM, eight waves of them. Every thread loads L times 16 bytes that L2 has (past L1), all meet at a barrier,
// each computes, stores S times 16 bytes (512 bytes in a row a warp) and ends. CSV to standard output: cycles
// of a wave, and of the blocks of waves 3 to 7 the medians (and 10th and 90th percentiles) of begin to behind
// the barrier, of the computation, of the stores' issue, and from a block's end to its successor's begin.
//   nvcc -O3 -arch=sm_90a -o store_waves store_waves.cu && ./store_waves
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "experiment.hpp"

constexpr int sms = 132, waves = 8, most_threads = 512;

struct Times {
  unsigned begin, met, computed, end, sm, pad[3];
};

template <int loads, int stores>
__global__ void __launch_bounds__(most_threads)
    blocks_of(const float4* from, float4* to, Times* times, int chains, int out_mask, int apart) {
  Times t{};
  t.begin = now();
  float sum[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sum[i] = __int_as_float(0x3f800000 + threadIdx.x + i);
  if constexpr (loads > 0) {
    const float4* const own = from + (blockIdx.x & 4095) * 256LL + threadIdx.x;
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const float4 v = __ldcg(own + i * blockDim.x);
      sum[i % 4] += v.x + v.y, sum[i % 4 + 4] += v.z + v.w;
    }
  }
  if (sum[3] == -1.0f) to[sum[0] == 0] = make_float4(sum[1], sum[4], sum[5], sum[6]);
  __syncthreads();
  t.met = now();
#pragma unroll 1
  for (int c = 0; c < chains; ++c) {
#pragma unroll
    for (int i = 0; i < 64; ++i)
      sum[i % 8] = fmaf(sum[i % 8], 1.0001f, 0.5f);
  }
  if (sum[3] == -1.0f) to[sum[0] == 0] = make_float4(sum[1], sum[4], sum[5], sum[6]);
  t.computed = now();
  float4* const own = to + (blockIdx.x & out_mask) * (stores * static_cast<long long>(blockDim.x) + apart) +
                      (threadIdx.x / 32) * 32 * stores + threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < stores; ++i)
    own[i * 32] = make_float4(sum[i % 8], sum[1], sum[2], sum[3]);
  t.end = now();
  t.sm = sm_id();
  if (threadIdx.x % 32 == 0) times[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = t;
}

template <int loads, int stores>
void run(const float4* from, float4* to, Times* device_times, int threads, int resident, int chains,
         bool dram, int apart) {
  const auto kernel = blocks_of<loads, stores>;
  const int shared = 220 * 1024 / resident - 1152, blocks = sms * resident * waves, warps = threads / 32;
  allow_shared(kernel, shared);
  int places = 1;
  while (2LL * places * threads * 16 * std::max(1, stores) <= (dram ? 256LL << 20 : 16LL << 20))
    places *= 2;
  const auto us = times_us(0, 6, [&] {
    kernel<<<blocks, threads, shared>>>(from, to, device_times, chains, places - 1, apart / 16);
  });
  const auto times = to_host(device_times, static_cast<std::size_t>(blocks) * warps);
  struct Block {
    unsigned begin, begin_last, met, computed, end;
  };
  std::map<unsigned, std::vector<Block>> of_sm;
  for (int b = 0; b < blocks; ++b) {
    const Times* w = &times[static_cast<std::size_t>(b) * warps];
    Block x{w->begin, w->begin, w->met, w->computed, w->end};
    for (int i = 1; i < warps; ++i) {
      x.begin = soonest(x.begin, w[i].begin), x.begin_last = latest(x.begin_last, w[i].begin);
      x.met = latest(x.met, w[i].met), x.computed = latest(x.computed, w[i].computed);
      x.end = latest(x.end, w[i].end);
    }
    of_sm[w->sm].push_back(x);
  }
  std::vector<unsigned> met, first_met, begins, computed, stored, gap, wave;
  for (auto& [sm, list] : of_sm) {
    for (const unsigned g : gaps_of_places(list, resident, 2, waves - 1))
      gap.push_back(g);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto& b = list[i];
      const auto n = static_cast<int>(i) / resident;
      if (n == 0) first_met.push_back(b.met - b.begin);
      if (n < 2 || n >= waves - 1) continue;
      met.push_back(b.met - b.begin), computed.push_back(b.computed - b.met);
      stored.push_back(b.end - b.computed), begins.push_back(b.begin_last - b.begin);
    }
    const auto begin_of_wave = [&list = list, resident](int n) {
      return list[static_cast<std::size_t>(n * resident)].begin;
    };
    if (static_cast<int>(list.size()) >= (waves - 1) * resident)
      wave.push_back((begin_of_wave(waves - 2) - begin_of_wave(1)) / (waves - 3));
  }
  for (auto* v : {&met, &first_met, &begins, &computed, &stored, &gap, &wave})
    std::sort(v->begin(), v->end());
  std::printf("%d,%d,%d,%d,%d,%d,%d,%.2f,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u\n", threads, resident, loads,
              chains, stores, dram ? 1 : 0, apart, us[2], at_share(wave, .5), at_share(first_met, .5),
              at_share(begins, .5), at_share(met, .1), at_share(met, .5), at_share(met, .9),
              at_share(computed, .5), at_share(stored, .1), at_share(stored, .5), at_share(stored, .9),
              at_share(gap, .1), at_share(gap, .5), at_share(gap, .9));
}

int main() {
  auto* const from = device_room<float4>(64 << 20, 0);
  auto* const to = device_room<float4>(300 << 20);
  auto* const times = device_room<Times>(sizeof(Times) * sms * 8 * waves * 16);
  std::printf(
      "threads,blocks_an_sm,loads,chains,stores,dram,apart,us,wave,first_met,begins,met_p10,met_p50,met_p90,"
      "computed,stored_p10,stored_p50,stored_p90,gap_p10,gap_p50,gap_p90\n");
  for (const int threads : {64, 128, 256, 512})
    for (const int resident : {1, 2, 4, 8}) {
      if (threads * resident > 1024) continue;
      for (const int chains : {0, 8, 32})
        for (const int apart : {0, 2176}) {
          run<0, 0>(from, to, times, threads, resident, chains, false, apart);
          run<0, 4>(from, to, times, threads, resident, chains, false, apart);
          run<0, 16>(from, to, times, threads, resident, chains, false, apart);
          run<1, 0>(from, to, times, threads, resident, chains, false, apart);
          run<1, 4>(from, to, times, threads, resident, chains, false, apart);
          run<1, 16>(from, to, times, threads, resident, chains, false, apart);
          run<1, 16>(from, to, times, threads, resident, chains, true, apart);
          run<4, 0>(from, to, times, threads, resident, chains, false, apart);
          run<4, 4>(from, to, times, threads, resident, chains, false, apart);
          run<4, 16>(from, to, times, threads, resident, chains, false, apart);
        }
    }
}
