// Launches in which all blocks run at once, some SMs with one block more than the others: blocks of 8 warps
// that compute (FFMAs, as many as fill the schedulers) and then store. When the SMs with fewer and those with
// more blocks have begun and ended their stores. `word`: a lane stores a word of each of 32 sectors (8 lines,
// 40 packets a store: sectors and byte masks); `whole`: 16 bytes (16 packets). Each block has a region of its
// own. CSV to standard output: cycles of the SM's own clock since its first block's begin, the median and the
// last SM of each kind (medians of 9 launches), us of a launch in replays of a graph.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o uneven_stores uneven_stores.cu && ./uneven_stores
#include <cstdio>
#include <map>
#include <vector>

#include "experiment.hpp"

namespace {

constexpr int warps = 8;

// Of one block: the cycles of its SM in which it began, its first warp to store began that, and the last warp
// had issued all of its stores.
struct Notes {
  long long begin, storing, end;
  unsigned sm;
};

template <bool word>
__global__ void compute_and_store(float* data, int ffmas, int stores, Notes* notes) {
  extern __shared__ float room[];
  __shared__ unsigned long long storing;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long begin = clock64();
  if (threadIdx.x == 0) storing = ~0ULL;
  __syncthreads();
  float sum[8];
  for (int i = 0; i < 8; ++i)
    sum[i] = static_cast<float>(lane + i);
  for (int n = 0; n < ffmas; n += 8)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      sum[i] = sum[i] * 0.5F + sum[(i + 1) % 8];
  if (lane == 0) atomicMin(&storing, static_cast<unsigned long long>(clock64()));
  const float value = sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
  const long long first = (static_cast<long long>(blockIdx.x) * warps + warp) * stores;
  for (int s = 0; s < stores; ++s) {
    if (word)
      data[(first + s) * 256 + lane * 8] = value;
    else
      reinterpret_cast<float4*>(data)[(first + s) * 32 + lane] = make_float4(value, value, value, value);
  }
  __syncthreads();
  if (threadIdx.x == 0) notes[blockIdx.x] = {begin, static_cast<long long>(storing), clock64(), sm_id()};
  if (ffmas < 0) room[0] = value;
}

// The SMs of one kind in one launch.
struct Ends {
  std::vector<double> storing, end;
};

template <bool word>
void run(float* data, Notes* notes, int most, int more, int ffmas, int stores) {
  const int sms = sm_count(), blocks = sms * (most - 1) + more;
  const int shared = 220 * 1024 / most - 1024;
  allow_shared(compute_and_store<word>, shared);
  const auto launch = [&](cudaStream_t stream) {
    compute_and_store<word><<<blocks, 32 * warps, shared, stream>>>(data, ffmas, stores, notes);
  };
  const double us = graph_time_us(20, 5, launch);
  constexpr int launches = 9;
  std::vector<double> storing[2], end[2], last[2];
  for (int n = -1; n < launches; ++n) {
    launch(nullptr);
    const auto all = to_host(notes, blocks);
    std::map<unsigned, std::vector<Notes>> of_sm;
    for (const auto& b : all)
      of_sm[b.sm].push_back(b);
    if (n < 0) continue;
    Ends kinds[2];
    for (const auto& [sm, on_sm] : of_sm) {
      Notes total = on_sm[0];
      for (const auto& b : on_sm)
        total = {std::min(total.begin, b.begin), std::min(total.storing, b.storing),
                 std::max(total.end, b.end), sm};
      auto& kind = kinds[static_cast<int>(on_sm.size()) >= most ? 1 : 0];
      kind.storing.push_back(static_cast<double>(total.storing - total.begin));
      kind.end.push_back(static_cast<double>(total.end - total.begin));
    }
    for (int k = 0; k < 2; ++k) {
      if (kinds[k].end.empty()) continue;
      storing[k].push_back(median(kinds[k].storing));
      end[k].push_back(median(kinds[k].end));
      last[k].push_back(sorted(kinds[k].end).back());
    }
  }
  const double packets = (word ? 40.0 : 16.0) * stores * warps;
  std::printf("%s,%d,%d,%d,%.0f,%.2f", word ? "word" : "whole", most, more, ffmas, packets, us);
  for (int k = 0; k < 2; ++k)
    if (end[k].empty())
      std::printf(",,,");
    else
      std::printf(",%.0f,%.0f,%.0f", median(storing[k]), median(end[k]), median(last[k]));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main() {
  auto* const data = device_room<float>(256LL << 20, 0);
  auto* const notes = managed_room<Notes>(sizeof(Notes) * 4096);
  std::printf(
      "stores,most_blocks,sms_with_most,ffmas,packets,us,fewer_storing,fewer_end,fewer_last,most_storing,"
      "most_end,"
      "most_last\n");
  const struct {
    int most, more;
  } grids[] = {{1, 66},  {1, 103}, {1, 132}, {2, 8},   {2, 29}, {2, 66},
               {2, 103}, {2, 132}, {3, 29},  {3, 103}, {5, 29}};
  for (const auto& [most, more] : grids)
    for (const int ffmas : {0, 256, 512, 1024, 2048, 4096})
      for (const int packets : {80, 160, 320, 640, 1280}) {  // of a warp
        run<true>(data, notes, most, more, ffmas, packets / 40);
        run<false>(data, notes, most, more, ffmas, packets / 16);
      }
  return 0;
}
