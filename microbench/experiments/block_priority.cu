// Which block's warps a scheduler prefers where several blocks are on an SM, and how it shares among the
// warps of one block. Blocks of W warps, R of them on an SM at once, several times as many in all; each warp
// notes its SM, its slot, and its clock at the start, after an eighth of its work and at its end. CSV on
// stdout: of all pairs of warps of one scheduler that were on it together when the second of them began, how
// often the older block's (or, in one block, the higher warp's) ended first; then the warps of one SM.
//   nvcc -O3 -arch=sm_90a -o block_priority block_priority.cu && ./block_priority
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "experiment.hpp"

// independent: 16 accumulators (stall count 1); adds: each FADD waits for the one before (stall count 4, one
// register read, so that no ports conflict); loads: a shared load every 16 FFMAs, used by the next ones.
enum Code { independent, adds, loads };
constexpr const char* names[] = {"independent", "adds", "loads"};
constexpr int pieces = 16, piece_ffmas = 64;

struct Times {
  unsigned sm, slot, start, eighth, end;
};

template <Code code>
__global__ void __launch_bounds__(512) run(const float* numbers, Times* out, float* sums) {
  extern __shared__ float words[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    words[i] = numbers[i % 32];
  float x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = numbers[i];
  const float a = numbers[16], b = numbers[17];
  const unsigned mine = shared_address(words + threadIdx.x % 32);
  __syncthreads();
  Times t{};
  t.start = now();
#pragma unroll
  for (int p = 0; p < pieces; ++p) {
#pragma unroll
    for (int i = 0; i < piece_ffmas; ++i) {
      if (code == adds) asm volatile("add.rn.f32 %0, %0, 0f3f800000;" : "+f"(x[0]));
      if (code != adds) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % 16]) : "f"(a), "f"(b));
      if (code == loads && i % 16 == 15) {
        float w;
        asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(w) : "r"(mine + 128 * (i / 16)));
        x[0] += w;
      }
    }
    if (p == pieces / 8 - 1) t.eighth = now();
  }
  t.end = now();
  float sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += x[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) {
    asm("mov.u32 %0, %%smid;" : "=r"(t.sm));
    asm("mov.u32 %0, %%warpid;" : "=r"(t.slot));
    out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = t;
  }
}

template <Code code>
void measure(int warps, int resident, int waves, const float* numbers, Times* out, float* sums,
             std::string& details) {
  const int sms = sm_count();
  const int blocks = sms * resident * waves;
  // As much shared memory as leaves room for `resident` blocks.
  const int shared = (227 * 1024 / resident - 1024) / 128 * 128;
  allow_shared(run<code>, shared);
  for (int time = 0; time < 3; ++time) {  // the last one counts: its code is cached
    run<code><<<blocks, 32 * warps, shared>>>(numbers, out, sums);
    CHECK(cudaDeviceSynchronize());
  }
  const auto t = to_host(out, static_cast<std::size_t>(blocks) * warps);
  // Pairs of one SM and scheduler.
  long pairs = 0, older_first = 0, same = 0, higher_first = 0, older_lower = 0, older_lower_first = 0;
  long apart = 0;
  std::vector<std::vector<int>> of(static_cast<std::size_t>(sms) * 4);
  for (int i = 0; i < static_cast<int>(t.size()); ++i)
    of[t[i].sm * 4 + t[i].slot % 4].push_back(i);
  for (const auto& list : of) {
    for (const int i : list) {
      for (const int j : list) {
        const auto &x = t[i], &y = t[j];
        if (i / warps == j / warps) {
          if (i <= j) continue;
          ++same, higher_first += sooner(x.end, y.end);
          apart += std::abs(static_cast<int>(x.end - y.end));
        } else if (sooner(x.start + 200, y.start) && sooner(y.start + 200, x.end)) {  // x's block is older
          ++pairs, older_first += sooner(x.end, y.end);
          if (x.slot < y.slot) ++older_lower, older_lower_first += sooner(x.end, y.end);
        }
      }
    }
  }
  std::printf("%s,%d,%d,%d,%ld,%ld,%ld,%ld,%ld,%ld,%ld\n", names[code], warps, resident, waves, pairs,
              older_first, older_lower, older_lower_first, same, higher_first, same > 0 ? apart / same : 0);
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i].sm != t[0].sm || t[i].slot % 4 != 0) continue;
    char line[200];
    std::snprintf(line, sizeof line, "%s,%d,%d,%zu,%zu,%u,%d,%d,%d\n", names[code], warps, resident,
                  i / warps, i % warps, t[i].slot, static_cast<int>(t[i].start - t[0].start),
                  static_cast<int>(t[i].eighth - t[0].start), static_cast<int>(t[i].end - t[0].start));
    details += line;
  }
}

int main() {
  auto* const numbers = device_room<float>(4096, 0);
  auto* const sums = device_room<float>(1 << 24);
  auto* const out = device_room<Times>(1 << 24);
  std::string details = "code,warps,resident_blocks,block,warp,slot,start,eighth,end\n";
  std::printf(
      "code,warps,resident_blocks,waves,pairs_of_blocks,older_ends_first,older_in_lower_slot,"
      "of_those_older_first,pairs_in_a_block,higher_ends_first,cycles_apart\n");
  for (const auto& [warps, resident] : {std::pair{4, 2}, {4, 4}, {4, 8}, {8, 2}, {8, 4}, {16, 2}, {16, 1}}) {
    measure<independent>(warps, resident, 3, numbers, out, sums, details);
    measure<adds>(warps, resident, 3, numbers, out, sums, details);
    measure<loads>(warps, resident, 3, numbers, out, sums, details);
  }
  std::printf("%s", details.c_str());
  return 0;
}
