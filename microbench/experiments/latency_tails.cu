// How long the slowest of many lines take from DRAM or L2 while the other SMs read at some rate: quantiles of
// the latency of single loads. A thread on each of eight SMs chases a random cycle over 480 (12) MiB (.cg),
// the other SMs stream as much of their own (.cg, 4 x 16 bytes a lane, then a pause). CSV to standard output:
// TB/s of all, cycles of the quantiles, and of the slowest of 8, 32, 128, 512 loads in a row (mean).
//   nvcc -O3 -arch=sm_90a -o latency_tails latency_tails.cu && ./latency_tails
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "experiment.hpp"

constexpr int chasers = 8, sms = 132, most = 4096;

__global__ void link(unsigned* chain, const unsigned* next, std::size_t n) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    chain[i * 32] = next[i];
}

__global__ void __launch_bounds__(1024)
    run(std::size_t bytes, const unsigned* chain, const float4* data, int pause, long long until,
        unsigned short* cycles, unsigned* counted, float* out) {
  const int chaser = blockIdx.x % (sms / chasers) == 0 ? blockIdx.x / (sms / chasers) : chasers;
  const long long begin = clock64();
  if (chaser < chasers) {
    if (threadIdx.x > 0) return;
    unsigned at = (unsigned)(bytes / 128 / chasers) * chaser;
    unsigned n = 0;
    while (clock64() - begin < until && n < most) {
      const unsigned from = clock();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(chain + (std::size_t)at * 32) : "memory");
      if (at == ~0u) break;  // waits for the load
      const unsigned taken = clock();
      cycles[chaser * most + n++] = (unsigned short)min(taken - from, 65535u);
    }
    counted[blockIdx.x] = 0;
    out[chaser] = (float)n;
    return;
  }
  if (pause < 0) {
    if (threadIdx.x == 0) counted[blockIdx.x] = 0;
    return;
  }
  const std::size_t all = bytes / 16, step = (std::size_t)gridDim.x * blockDim.x * 4;
  std::size_t i = ((std::size_t)blockIdx.x * blockDim.x + threadIdx.x / 32 * 32) * 4 + threadIdx.x % 32;
  float sum = 0;
  unsigned rounds = 0;
  while (clock64() - begin < until) {
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
                   : "=f"(v[k].x), "=f"(v[k].y), "=f"(v[k].z), "=f"(v[k].w)
                   : "l"(data + (i + k * 32) % all));
    sum += v[0].x + v[1].x + v[2].x + v[3].x;
    i += step;
    ++rounds;
    const long long waited = clock64();
    while (clock64() - waited < pause) {
    }
  }
  if (sum == -1) *out = sum;
  if (threadIdx.x == 0) counted[blockIdx.x] = rounds;
}

void measure(const char* from, std::size_t bytes) {
  const std::size_t lines = bytes / 128;
  std::vector<unsigned> next(lines), order(lines);
  std::iota(order.begin(), order.end(), 0u);
  std::uint64_t state = 7;
  const auto random = [&](std::uint64_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % n;
  };
  for (std::size_t i = lines - 1; i > 0; --i)
    std::swap(order[i], order[random(i + 1)]);
  for (std::size_t i = 0; i < lines; ++i)
    next[order[i]] = order[(i + 1) % lines];
  auto* const chain = device_room<unsigned>(bytes, 0);
  auto* const links = device_room<unsigned>(lines * 4);
  CHECK(cudaMemcpy(links, next.data(), lines * 4, cudaMemcpyHostToDevice));
  link<<<1024, 256>>>(chain, links, lines);
  auto* const data = device_room<float4>(bytes, 0);
  auto* const cycles = device_room<unsigned short>(chasers * most * 2, 0);
  auto* const counted = device_room<unsigned>(sms * 4, 0);
  auto* const out = device_room<float>(1024, 0);
  CHECK(cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000));
  const int levels[][2] = {{1, -1},   {1, 8000}, {2, 4000}, {4, 4000}, {4, 2000}, {8, 3000},
                           {8, 2000}, {8, 1200}, {8, 700},  {8, 300},  {8, 0},    {16, 1500},
                           {16, 800}, {16, 300}, {16, 0},   {32, 0}};
  for (const auto& [warps, pause] : levels) {
    constexpr long long until = 4000000;
    run<<<sms, warps * 32, 120000>>>(bytes, chain, data, pause, until, cycles, counted, out);
    const auto c = to_host(cycles, chasers * most);
    const auto n = to_host(counted, sms);
    const auto loads = to_host(out, chasers);
    double moved = 0;
    for (const auto r : n)
      moved += (double)r * warps * 32 * 64;
    std::vector<unsigned> all;
    double sums[4] = {};
    int groups[4] = {};
    const int sizes[] = {8, 32, 128, 512};
    for (int k = 0; k < chasers; ++k) {
      const auto* own = c.data() + k * most;
      const int count = (int)loads[k];
      for (int j = 256; j < count; ++j)
        all.push_back(own[j]);
      for (int s = 0; s < 4; ++s)
        for (int j = 256; j + sizes[s] <= count; j += sizes[s]) {
          sums[s] += *std::max_element(own + j, own + j + sizes[s]);
          ++groups[s];
        }
    }
    std::sort(all.begin(), all.end());
    const auto q = [&](double share) {
      return all.empty() ? 0u : all[std::min(all.size() - 1, (std::size_t)(share * all.size()))];
    };
    std::printf("%s,%d,%d,%.3f,%zu,%u,%u,%u,%u,%u,%u,%u,%.0f,%.0f,%.0f,%.0f\n", from, warps, pause,
                moved / (until / 1.98e9) * 1e-12, all.size(), q(0.1), q(0.5), q(0.9), q(0.95), q(0.99),
                q(0.999), q(1), sums[0] / std::max(1, groups[0]), sums[1] / std::max(1, groups[1]),
                sums[2] / std::max(1, groups[2]), sums[3] / std::max(1, groups[3]));
  }
}

int main() {
  std::printf("from,warps,pause,tb_per_s,loads,p10,p50,p90,p95,p99,p999,most,of_8,of_32,of_128,of_512\n");
  measure("dram", std::size_t{480} << 20);
  measure("l2", std::size_t{12} << 20);
}
