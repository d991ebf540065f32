// How long fences for the whole GPU take where many warps of a block have one each, as between the passes of
// a split tile's sum: behind a barrier W warps begin `gap` cycles apart, the later the higher their number,
// make `count` accesses each (16-byte stores to shared memory, 16- or 4-byte stores to global memory, the
// latter 16 bytes apart, 16-byte loads from the cluster's other block and stores of what they bring, or
// none), and come to the barrier of their cluster of two, which has the fence. Then each makes `again`
// 16-byte stores to shared memory and comes to that barrier again. Four rounds of both; the last is noted:
// cycles from the barrier before until the last access is issued, until the first and until the last fence is
// done, of the warp whose access was last its own fence, and until the barrier is open; from there until the
// last of the other stores is issued, until the first and until the last fence is done, and until the barrier
// is open. CSV to standard output, medians over the blocks, the least of five launches.
//   nvcc -O3 -arch=sm_90a -o fences_of_many fences_of_many.cu && ./fences_of_many
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

enum Kind { none, sts128, stg128, stg32, sum };
constexpr const char* names[] = {"none", "sts128", "stg128", "stg32", "sum"};
constexpr int rounds = 4, most_warps = 32, notes_of_warp = 7;

// The cycles in which it arrives, the fence is done and the barrier is open.
__device__ __forceinline__ void meet(unsigned* at) {
  at[0] = now();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  at[1] = now();
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  at[2] = now();
}

template <int kind>
__device__ __forceinline__ void access(float* global, float4* shared, int n, int warps, int other) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4* const here = shared + (n * warps + warp) * 32 + lane;
  float* const to = global + ((n * warps + warp) * 32 + lane) * 4;
  if constexpr (kind == sts128) *here = make_float4(n, lane, 1, 2);
  if constexpr (kind == stg128) *reinterpret_cast<float4*>(to) = make_float4(n, lane, 1, 2);
  if constexpr (kind == stg32) asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(1.0F) : "memory");
  if constexpr (kind == sum) *reinterpret_cast<float4*>(to) = load_cluster4(shared_address(here), other);
}

template <int kind, int count, int again>
__global__ void __cluster_dims__(2) run(float* data, size_t of_block, int gap, unsigned* out) {
  extern __shared__ float4 buffer[];
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float* const mine = data + blockIdx.x * of_block;
  unsigned at[6], begin = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    cluster_barrier();
    begin = now();
    while (now() - begin < unsigned(warp * gap)) {
    }
#pragma unroll
    for (int n = 0; n < count; ++n)
      access<kind>(mine + round * count * warps * 128, buffer, n, warps, 1 - blockIdx.x % 2);
    meet(at);
#pragma unroll
    for (int n = 0; n < again; ++n)
      access<sts128>(nullptr, buffer, n, warps, 0);
    meet(at + 3);
  }
  if (threadIdx.x % 32 == 0) {
    unsigned* const o = out + (blockIdx.x * most_warps + warp) * notes_of_warp;
    o[0] = begin;
    for (int i = 0; i < 6; ++i)
      o[1 + i] = at[i];
  }
}

// The first and the last of a block's warps to get there.
struct Ends {
  unsigned first = ~0U, last = 0;
  void add(unsigned cycles) { first = std::min(first, cycles), last = std::max(last, cycles); }
};

template <int kind, int count, int again>
void rows(float* data, unsigned* out) {
  constexpr int shared = 65 * 1024, columns = 9;
  const auto kernel = run<kind, count, again>;
  allow_shared(kernel, shared);
  constexpr size_t of_block = size_t{rounds} * 4 * most_warps * 128 + 1024;
  for (const int blocks : {2, 60, 132})
    for (const int warps : {1, 4, 8, 16, 32})
      for (const int gap : {0, 10, 25, 60}) {
        if (std::max(count, again) * warps * 512 > 64 * 1024 || (warps == 1 && gap > 0)) continue;
        std::vector<unsigned> least(columns, ~0U);
        for (int time = 0; time < 5; ++time) {
          kernel<<<blocks, warps * 32, shared>>>(data, of_block, gap, out);
          CHECK(cudaDeviceSynchronize());
          std::vector<unsigned> values[columns];
          for (int b = 0; b < blocks; ++b) {
            const unsigned* const o = out + b * most_warps * notes_of_warp;
            unsigned begin = o[0], own = 0;
            for (int w = 1; w < warps; ++w)
              begin = soonest(begin, o[w * notes_of_warp]);
            Ends ends[6];
            for (int w = 0; w < warps; ++w) {
              const unsigned* const n = o + w * notes_of_warp + 1;
              if (n[0] - begin >= ends[0].last) own = n[1] - n[0];
              for (int i = 0; i < 6; ++i)
                ends[i].add(n[i] - begin);
            }
            const unsigned open = ends[2].last;
            const unsigned row[] = {
                ends[0].last,         ends[1].first,       ends[1].last,       own, open, ends[3].last - open,
                ends[4].first - open, ends[4].last - open, ends[5].last - open};
            for (int i = 0; i < columns; ++i)
              values[i].push_back(row[i]);
          }
          std::vector<unsigned> medians;
          for (const auto& v : values)
            medians.push_back(median(v));
          if (medians[4] < least[4]) least = medians;
        }
        std::printf("%s,%d,%d,%d,%d,%d", names[kind], count, again, blocks, warps, gap);
        for (const unsigned v : least)
          std::printf(",%u", v);
        std::printf("\n");
        std::fflush(stdout);
      }
}

int main() {
  auto* const data = device_room<float>(size_t{256} << 20, 0);
  auto* const out = managed_room<unsigned>(132 * most_warps * notes_of_warp * sizeof(unsigned));
  std::printf(
      "kind,count,again,blocks,warps,gap,issued,first_done,last_done,last_own,open,again_issued,again_first,"
      "again_last,again_open\n");
  rows<none, 1, 1>(data, out);
  rows<sts128, 1, 0>(data, out), rows<sts128, 4, 2>(data, out);
  rows<stg128, 1, 0>(data, out), rows<stg128, 1, 1>(data, out), rows<stg128, 1, 4>(data, out);
  rows<stg128, 2, 2>(data, out), rows<stg128, 4, 2>(data, out);
  rows<stg32, 1, 0>(data, out), rows<stg32, 4, 2>(data, out);
  rows<sum, 1, 0>(data, out), rows<sum, 1, 2>(data, out), rows<sum, 2, 2>(data, out);
  return 0;
}
