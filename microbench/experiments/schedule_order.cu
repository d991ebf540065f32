// Which of its ready warps a scheduler issues: W warps a scheduler run the same straight code, each notes its
// clock after every piece. Strict orders (youngest or oldest first) let some warps finish long before the
// others; turns let all finish together. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o schedule_order schedule_order.cu && ./schedule_order
#include <cstdio>

#include "experiment.hpp"

constexpr int pieces = 8, piece_ffmas = 64;

// chained: each FFMA waits for the one before (stall count 4: others go first); independent: 16 accumulators
// (stall count 1: greedy); loads: a shared load every 16 FFMAs, used by the next ones; waiting: the same, but
// the 16 FFMAs behind it wait for it; throttled: four LDS.128 of 512 bytes every 16 FFMAs, more than the SM's
// pipe takes; product: the inner loop of a matrix product, 16 FFMAs of 4 x 4 words that two LDS.128 have
// loaded 16 FFMAs before.
enum Code { chained, independent, loads, waiting, throttled, product };
constexpr const char* names[] = {"chained", "independent", "loads", "waiting", "throttled", "product"};

__device__ __forceinline__ float4 load4(unsigned at) {
  float4 v;
  asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(at));
  return v;
}

template <Code code>
__global__ void __launch_bounds__(1024, 1) run(const float* numbers, unsigned* out, float* sums) {
  __shared__ float words[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x)
    words[i] = numbers[i % 32];
  float x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = numbers[i];
  const float a = numbers[16], b = numbers[17];
  const float* mine = words + threadIdx.x % 32;
  const auto base = shared_address(words);
  const unsigned own = base + threadIdx.x % 32 * 16;
  const unsigned left = base + (threadIdx.x % 2 + threadIdx.x % 32 / 16 * 2) * 16,
                 right = base + 2048 + threadIdx.x % 16 / 2 * 16;
  float4 ahead[4] = {}, m[2] = {}, n[2] = {};
  float w = 1;
  __syncthreads();
  unsigned at[pieces + 1];
  at[0] = now();
#pragma unroll
  for (int p = 0; p < pieces; ++p) {
#pragma unroll
    for (int i = 0; i < piece_ffmas; ++i) {
      if (code == waiting) {
        if (i % 16 == 0) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(w) : "r"(own));
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % 16]) : "f"(w), "f"(b));
        continue;
      }
      if (code == throttled) {
        if (i % 4 == 0) {
          x[0] += ahead[i / 4 % 4].x;
          ahead[i / 4 % 4] = load4(own);
        }
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % 16]) : "f"(a), "f"(b));
        continue;
      }
      if (code == product) {
        const int k = i / 16 % 2;
        if (i % 16 == 0) {
          m[1 - k] = load4(left + i / 16 % 4 * 256);
          n[1 - k] = load4(right + i / 16 % 4 * 256);
        }
        const float ms[] = {m[k].x, m[k].y, m[k].z, m[k].w}, ns[] = {n[k].x, n[k].y, n[k].z, n[k].w};
        const int row = i % 16 / 4, column = row % 2 ? 3 - i % 4 : i % 4;
        x[4 * row + column] = fmaf(ms[row], ns[column], x[4 * row + column]);
        continue;
      }
      if (code == chained) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[0]) : "f"(a), "f"(b));
      if (code != chained) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % 16]) : "f"(a), "f"(b));
      if (code == loads && i % 16 == 15) {
        float w;
        asm volatile("ld.volatile.shared.f32 %0, [%1];"
                     : "=f"(w)
                     : "r"(shared_address(mine + 32 * (i / 16))));
        x[0] += w;
      }
    }
    at[p + 1] = now();
  }
  float sum = ahead[0].x + ahead[1].x + ahead[2].x + ahead[3].x;
  for (int i = 0; i < 16; ++i)
    sum += x[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) {
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * (pieces + 2);
    to[0] = sm;
    for (int p = 0; p <= pieces; ++p)
      to[1 + p] = at[p];
  }
}

template <Code code>
void measure(int warps, int blocks_an_sm, const float* numbers, unsigned* out, float* sums) {
  const int blocks = blocks_an_sm * sm_count();
  for (int time = 0; time < 3; ++time) {  // the last one counts: its code is cached
    run<code><<<blocks, 32 * warps>>>(numbers, out, sums);
    CHECK(cudaDeviceSynchronize());
  }
  const auto host = to_host(out, static_cast<std::size_t>(blocks) * warps * (pieces + 2));
  const unsigned sm = host[0];
  const unsigned first = host[1];
  for (int b = 0; b < blocks; ++b) {
    for (int w = 0; w < warps; ++w) {
      const unsigned* row = host.data() + (static_cast<std::size_t>(b) * warps + w) * (pieces + 2);
      if (row[0] != sm) continue;
      std::printf("%s,%d,%d,%d,%d", names[code], warps, blocks_an_sm, b, w);
      for (int p = 0; p <= pieces; ++p)
        std::printf(",%d", static_cast<int>(row[1 + p] - first));
      std::printf("\n");
    }
  }
}

int main() {
  auto* const numbers = device_room<float>(4096, 0);
  auto* const sums = device_room<float>(1 << 22);
  auto* const out = device_room<unsigned>(1 << 22);
  std::printf("code,warps,blocks_an_sm,block,warp");
  for (int p = 0; p <= pieces; ++p)
    std::printf(",at%d", p);
  std::printf("\n");
  for (const int warps : {4, 8, 12, 16, 20, 24, 32}) {
    measure<chained>(warps, 1, numbers, out, sums);
    measure<independent>(warps, 1, numbers, out, sums);
    measure<loads>(warps, 1, numbers, out, sums);
    measure<waiting>(warps, 1, numbers, out, sums);
    measure<throttled>(warps, 1, numbers, out, sums);
    measure<product>(warps, 1, numbers, out, sums);
  }
  for (const int warps : {8, 16}) {
    measure<chained>(warps, 2, numbers, out, sums);
    measure<independent>(warps, 2, numbers, out, sums);
    measure<loads>(warps, 2, numbers, out, sums);
  }
  return 0;
}
