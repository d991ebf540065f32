// What a burst of loads gets where the SMs take turns: one block an SM asks for B bytes of DRAM at once,
// waits for all of them, then computes for X cycles, again and again. If the SMs were in step, a round would
// take X and the time in which DRAM serves all of them; if their phases differ, the larger of X + one burst
// alone and what DRAM needs. `kept`: the same blocks go on (in step at first); `phases`: they begin at random
// times; `replaced`: each round is a block of its own, as in a kernel of many waves, and X is computed before
// it ends. CSV on stdout, cycles a round of the device's SMs.
//   nvcc -O3 -arch=sm_90a -o burst_phases burst_phases.cu && ./burst_phases
#include <cstdio>

#include "experiment.hpp"

enum Kind { kept, phases, replaced };
constexpr const char* names[] = {"kept", "phases", "replaced"};
constexpr int threads = 512, rounds = 64;

// Thread t takes 16 bytes of each of `vectors` pieces of 8 KiB.
template <int vectors>
__device__ __forceinline__ float4 burst(const float4* from) {
  float4 v[vectors];
#pragma unroll
  for (int i = 0; i < vectors; ++i)
    v[i] = __ldcg(from + i * threads);
  float4 sum{};
#pragma unroll
  for (int i = 0; i < vectors; ++i)
    sum.x += v[i].x, sum.y += v[i].y, sum.z += v[i].z, sum.w += v[i].w;
  return sum;
}

template <int vectors>
__global__ void __launch_bounds__(threads, 1) run(const float4* data, long long elements, long long first,
                                                  long long* times, float4* out, int think, int kind) {
  extern __shared__ float4 room[];  // keeps other blocks off the SM
  const long long begin = clock64();
  const int count = kind == replaced ? 1 : rounds;
  if (kind == phases) {
    const unsigned wait = (blockIdx.x * 2654435761U >> 16) % 8192;
    while (clock64() - begin < wait) {
    }
  }
  float4 sum{};
  for (int r = 0; r < count; ++r) {
    const long long piece = first + static_cast<long long>(r) * gridDim.x + blockIdx.x;
    const float4 v = burst<vectors>(data + piece * vectors * threads % elements + threadIdx.x);
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    __syncthreads();  // all of the block have theirs
    const long long until = clock64() + think;
    while (clock64() < until) {
    }
  }
  if (sum.x + sum.y + sum.z + sum.w == -1.0F) out[0] = sum, room[0] = sum;
  if (threadIdx.x == 0) times[blockIdx.x] = clock64() - begin;
}

template <int vectors>
void measure(const float4* data, long long elements, long long* times, float4* out, int blocks, int think,
             Kind kind) {
  allow_shared(run<vectors>, 160 * 1024);
  const int grid = kind == replaced ? blocks * rounds : blocks;
  static long long first = 0;  // each launch goes on where the last one stopped: nothing of it is in L2
  const double us = times_us(0, 5, [&] {
    run<vectors><<<grid, threads, 160 * 1024>>>(data, elements, first, times, out, think, kind);
    first += static_cast<long long>(blocks) * rounds;
  })[0];
  const long long cycles = median(to_host(times, blocks));
  const double bytes = static_cast<double>(blocks) * rounds * vectors * threads * 16;
  std::printf("%s,%d,%d,%d,%.3f,%.1f,%.4f\n", names[kind], blocks, vectors * threads * 16, think, us / rounds,
              static_cast<double>(cycles) / (kind == replaced ? 1 : rounds), bytes / us * 1e-6);
}

template <int vectors>
void all(const float4* data, long long elements, long long* times, float4* out) {
  const int sms = sm_count();
  for (const int blocks : {1, sms / 2, sms}) {
    for (const int think : {0, 500, 1000, 2000, 3000, 4000, 6000, 8000}) {
      for (const Kind kind : {kept, phases, replaced}) {
        if (kind == replaced && blocks != sms) continue;  // they would spread over all SMs
        measure<vectors>(data, elements, times, out, blocks, think, kind);
      }
    }
  }
}

int main() {
  constexpr long long bytes = 1LL << 31;
  auto* const data = device_room<float4>(bytes, 0x3d);
  auto* const out = device_room<float4>(64);
  auto* const times = device_room<long long>(1 << 20);
  // Whole pieces of every size used fit into what is left.
  constexpr long long elements = (bytes / 16 - 16 * threads) / (16 * threads) * (16 * threads);
  std::printf("kind,blocks,burst_bytes,think_cycles,us_a_round,block_cycles_a_round,terabytes_per_s\n");
  all<2>(data, elements, times, out);
  all<4>(data, elements, times, out);
  all<8>(data, elements, times, out);
  all<16>(data, elements, times, out);
}
