// When the place of a block that has stored is free: blocks of W warps, R an SM, ten waves of them, compute,
// store S times a lane and end. Stores of 16 bytes a lane, 512 in a row a warp (`stride` 16), or of a word a
// lane, `stride` bytes from lane to lane: the next ones fill what is left between. Only `storing` SMs store.
// CSV to standard output: cycles of a wave, and of the blocks of waves 3 to 9 medians (and 10th and 90th
// percentiles) of the stores' issue (first warp's first to last warp's last), and from a block's end to its
// successor's begin.
//   nvcc -O3 -arch=sm_90a -o place_free place_free.cu && ./place_free
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "experiment.hpp"

constexpr int sms = 132, waves = 10, most_threads = 512;

struct Times {
  unsigned begin, computed, end, sm;
};

template <int stride, int stores>
__global__ void __launch_bounds__(most_threads)
    blocks_of(char* to, Times* times, int chains, int out_mask, int storing) {
  Times t{};
  t.begin = now();
  t.sm = sm_id();
  float sum[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sum[i] = __int_as_float(0x3f800000 + threadIdx.x + i);
#pragma unroll 1
  for (int c = 0; c < chains; ++c) {
#pragma unroll
    for (int i = 0; i < 64; ++i)
      sum[i % 8] = fmaf(sum[i % 8], 1.0001f, 0.5f);
  }
  if (sum[3] == -1.0f)
    to[sum[0] == 0] = static_cast<char>(sum[1] + sum[2] + sum[4] + sum[5] + sum[6] + sum[7]);
  __syncthreads();
  t.computed = now();
  constexpr int bytes = stride == 16 ? 16 : 4, passes = stride == 16 ? 1 : stride / bytes;
  constexpr long long warp_bytes = 32LL * bytes * stores;
  char* const own = to + ((blockIdx.x & out_mask) * (blockDim.x / 32) + threadIdx.x / 32) * warp_bytes +
                    threadIdx.x % 32 * (stride == 16 ? 16 : stride);
  if (static_cast<int>(t.sm) < storing) {
#pragma unroll
    for (int i = 0; i < stores; ++i) {
      char* const at = own + i / passes * (32 * bytes * passes) + i % passes * bytes;
      if constexpr (stride == 16)
        *reinterpret_cast<float4*>(at) = make_float4(sum[i % 8], sum[1], sum[2], sum[3]);
      else
        *reinterpret_cast<volatile float*>(at) = sum[i % 8];
    }
  }
  t.end = now();
  if (threadIdx.x % 32 == 0)
    *reinterpret_cast<uint4*>(times + blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) =
        make_uint4(t.begin, t.computed, t.end, t.sm);
}

template <int stride, int stores>
void run(char* to, Times* device_times, int threads, int resident, int chains, int storing) {
  const auto kernel = blocks_of<stride, stores>;
  const int shared = 220 * 1024 / resident - 1152, blocks = sms * resident * waves, warps = threads / 32;
  allow_shared(kernel, shared);
  int places = 1;
  while (2LL * places * threads * 16 * std::max(1, stores) <= 16LL << 20)
    places *= 2;
  for (int i = 0; i < 4; ++i)
    kernel<<<blocks, threads, shared>>>(to, device_times, chains, places - 1, storing);
  const auto times = to_host(device_times, static_cast<std::size_t>(blocks) * warps);
  struct Block {
    unsigned begin, computed, end;
  };
  std::map<unsigned, std::vector<Block>> of_sm;
  for (int b = 0; b < blocks; ++b) {
    const Times* w = &times[static_cast<std::size_t>(b) * warps];
    if (static_cast<int>(w->sm) >= storing) continue;
    Block x{w->begin, w->computed, w->end};
    for (int i = 1; i < warps; ++i) {
      x.begin = soonest(x.begin, w[i].begin);
      x.computed = soonest(x.computed, w[i].computed), x.end = latest(x.end, w[i].end);
    }
    of_sm[w->sm].push_back(x);
  }
  std::vector<unsigned> stored, gap, wave;
  for (auto& [sm, list] : of_sm) {
    const auto last = static_cast<int>(list.size()) / resident - 1;
    for (const unsigned g : gaps_of_places(list, resident, 2, last))
      gap.push_back(g);
    for (int i = 2 * resident; i < last * resident; ++i)
      stored.push_back(list[static_cast<std::size_t>(i)].end - list[static_cast<std::size_t>(i)].computed);
    if (last > 3)
      wave.push_back((list[static_cast<std::size_t>((last - 1) * resident)].begin -
                      list[static_cast<std::size_t>(resident)].begin) /
                     (last - 2));
  }
  for (auto* v : {&stored, &gap, &wave})
    std::sort(v->begin(), v->end());
  std::printf("%d,%d,%d,%d,%d,%d,%u,%u,%u,%u,%u,%u,%u\n", stride, stores, storing, threads, resident, chains,
              at_share(wave, .5), at_share(stored, .1), at_share(stored, .5), at_share(stored, .9),
              at_share(gap, .1), at_share(gap, .5), at_share(gap, .9));
}

int main() {
  auto* const to = device_room<char>(64 << 20);
  auto* const times = device_room<Times>(sizeof(Times) * sms * 16 * waves * 16);
  std::printf(
      "stride,stores,storing,threads,blocks_an_sm,chains,wave,stored_p10,stored_p50,stored_p90,"
      "gap_p10,gap_p50,gap_p90\n");
  const int shapes[][2] = {{32, 1},  {32, 4},  {32, 16}, {64, 2},  {128, 1}, {128, 2},
                           {128, 4}, {256, 1}, {256, 2}, {512, 1}, {512, 2}};
  for (const int storing : {sms, 4})
    for (const auto& shape : shapes)
      for (const int chains : {1, 16, 64}) {
        const int threads = shape[0], resident = shape[1];
        run<16, 0>(to, times, threads, resident, chains, storing);
        run<16, 4>(to, times, threads, resident, chains, storing);
        run<16, 16>(to, times, threads, resident, chains, storing);
        run<4, 16>(to, times, threads, resident, chains, storing);
        run<8, 16>(to, times, threads, resident, chains, storing);
        run<32, 16>(to, times, threads, resident, chains, storing);
        run<32, 64>(to, times, threads, resident, chains, storing);
        run<64, 64>(to, times, threads, resident, chains, storing);
      }
}
