// Who issues when, among the warps of a block that share a scheduler: each warp notes its clock behind every
// piece of the same straight code.
//   chain: a shared load of so many words and so many independent FFMAs that use the load of the piece before
//   independent: so many independent FFMAs; chained: so many that wait for each other
// One block of W warps on one SM, begun together at a barrier; the third run counts (its code is cached). CSV
// to standard output: of each warp of scheduler 0 the cycles behind its pieces, from the first mark of all.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o issue_turns issue_turns.cu && ./issue_turns
#include <cstdio>

#include "experiment.hpp"

enum class Code { chain, independent, chained };

constexpr int marks = 32;

template <Code code, int ffmas, int words>
__global__ void __launch_bounds__(1024, 1) turns(const float* numbers, unsigned* out, float* sums) {
  __shared__ float data[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x)
    data[i] = numbers[i % 32];
  float x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = numbers[i];
  const float b = numbers[17];
  const unsigned at = shared_address(data) + threadIdx.x % 32 / 4 * 4 * words;
  float w[2][4] = {};
  unsigned mark[marks];
  __syncthreads();
#pragma unroll
  for (int p = 0; p < marks; ++p) {
    float* const v = w[p % 2];
    if (code == Code::chain && words == 1)
      asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[0]) : "r"(at + p % 16 * 256));
    if (code == Code::chain && words == 4)
      asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                   : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                   : "r"(at + p % 16 * 256));
    const float* const u = w[1 - p % 2];
#pragma unroll
    for (int i = 0; i < ffmas; ++i)
      asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                   : "+f"(x[code == Code::chained ? 0 : i % 16])
                   : "f"(code == Code::chain ? u[i % words] : x[15 - i % 2]), "f"(b));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(mark[p])::"memory");
  }
  float sum = w[0][0] + w[1][0];
  for (int i = 0; i < 16; ++i)
    sum += x[i];
  sums[threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) {
    for (int p = 0; p < marks; ++p)
      out[threadIdx.x / 32 * marks + p] = mark[p];
  }
}

template <Code code, int ffmas, int words>
void measure(const char* name, const float* numbers, unsigned* out, float* sums) {
  for (const int warps : {8, 16, 32}) {
    for (int time = 0; time < 3; ++time)
      turns<code, ffmas, words><<<1, 32 * warps>>>(numbers, out, sums);
    const auto rows = to_host(out, static_cast<std::size_t>(warps) * marks);
    unsigned first = rows[0];
    for (int w = 0; w < warps; w += 4)
      if (static_cast<int>(rows[static_cast<std::size_t>(w) * marks] - first) < 0)
        first = rows[static_cast<std::size_t>(w) * marks];
    for (int w = 0; w < warps; w += 4) {
      std::printf("%s,%d,%d,%d,%d", name, ffmas, words, warps, w);
      for (int p = 0; p < marks; ++p)
        std::printf(",%d", static_cast<int>(rows[static_cast<std::size_t>(w) * marks + p] - first));
      std::printf("\n");
    }
  }
}

int main() {
  auto* const numbers = device_room<float>(4096, 0);
  auto* const sums = device_room<float>(1 << 16);
  auto* const out = device_room<unsigned>(1 << 16);
  std::printf("code,ffmas,words,warps,warp");
  for (int p = 0; p < marks; ++p)
    std::printf(",at%d", p);
  std::printf("\n");
#define CHAIN(N, W) measure<Code::chain, N, W>("chain", numbers, out, sums)
  CHAIN(8, 1);
  CHAIN(16, 1);
  CHAIN(24, 1);
  CHAIN(32, 1);
  CHAIN(48, 1);
  CHAIN(8, 4);
  CHAIN(16, 4);
  CHAIN(24, 4);
  CHAIN(32, 4);
  CHAIN(48, 4);
  measure<Code::independent, 16, 1>("independent", numbers, out, sums);
  measure<Code::independent, 48, 1>("independent", numbers, out, sums);
  measure<Code::chained, 8, 1>("chained", numbers, out, sums);
  measure<Code::chained, 16, 1>("chained", numbers, out, sums);
  return 0;
}
