// What a GPU-wide fence and a cluster's barrier cost behind loads, copies and stores that are long done, or
// were just made. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o cluster_fences cluster_fences.cu && ./cluster_fences
#include <cstdio>
#include <vector>

#include "experiment.hpp"

enum Before { nothing, loads, copies4, copies16, stores, shared_stores };
constexpr const char* names[] = {"nothing", "loads", "copies4", "copies16", "stores", "shared_stores"};

__device__ __forceinline__ void meet(int fence_only) {
  if (fence_only)
    fence();
  else
    cluster_barrier();
}

// Warps [from, to) of the block make `times` accesses of 16 (copies4: 4) bytes a lane, side by side; so many
// cycles later all warps meet twice.
template <Before before>
__global__ void __launch_bounds__(1024, 1)
    meets(float* data, long long* out, int from, int to, int times, int delay, int fence_only, int rounds) {
  extern __shared__ float4 memory[];
  const int warp = threadIdx.x / 32;
  float* const mine = data + (static_cast<long long>(blockIdx.x) * 1024 + threadIdx.x) * 4;
  constexpr long long next = 1024LL * 1024 * 4;  // floats to the next access
  float sum = 0;
  long long first = 0, second = 0;
  meet(0);
  for (int r = 0; r < rounds; ++r) {
    if (warp >= from && warp < to) {
      for (int i = 0; i < times; ++i) {
        float* const at = mine + i * next;
        const unsigned target = shared_address(memory + threadIdx.x);
        if (before == loads) {
          float4 v;
          asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                       : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                       : "l"(at)
                       : "memory");
          sum += v.x;
        }
        if (before == copies4)
          asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(at) : "memory");
        if (before == copies16)
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(at) : "memory");
        if (before == stores) *reinterpret_cast<float4*>(at) = make_float4(r, 1, 2, 3);
        if (before == shared_stores) memory[threadIdx.x] = make_float4(r, i, 2, 3);
      }
    }
    if (before == copies4 || before == copies16)
      asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    asm volatile("" ::"f"(sum) : "memory");
    if (sum == 1.2345f) out[1] = 1;  // loads have come
    __syncthreads();
    const long long until = clock64() + delay;
    while (delay > 0 && clock64() < until) {
    }
    const long long a = clock64();
    meet(fence_only);
    const long long b = clock64();
    meet(fence_only);
    const long long c = clock64();
    if (r > 0) first += b - a, second += c - b;
  }
  meet(0);
  if (sum == 1.2345f) out[0] = 1;
  if (threadIdx.x == 0)
    out[2 * blockIdx.x] = first / (rounds - 1), out[2 * blockIdx.x + 1] = second / (rounds - 1);
}

template <Before before>
void run(float* data, long long* out) {
  auto kernel = meets<before>;
  allow_clusters(kernel);
  allow_shared(kernel, 227 * 1024);
  const auto one = [&](int cluster, int threads, int an_sm, int from, int to, int times, int delay,
                       int fence_only) {
    const int shared = an_sm == 1 ? 120000 : 227 * 1024 / an_sm - 2048;
    const int blocks = sms_of_clusters(cluster) * an_sm;
    for (int i = 0; i < 2; ++i) {
      launch_grid(kernel, {blocks, threads, shared, cluster}, data, out, from, to, times, delay, fence_only,
                  17);
      CHECK(cudaDeviceSynchronize());
    }
    const auto cycles = to_host(out, 2 * blocks);
    std::vector<long long> m[2];
    for (int i = 0; i < 2 * blocks; ++i)
      m[i % 2].push_back(cycles[i]);
    std::printf("%s,%s,%d,%d,%d,%d,%d,%d,%d,%lld,%lld\n", fence_only ? "fence" : "barrier", names[before],
                cluster, threads, an_sm, from, to, times, delay, median(m[0]), median(m[1]));
  };
  for (const int fence_only : {0, 1})
    for (const int cluster : {2, 4, 8, 16}) {
      if (fence_only && cluster > 2) continue;
      for (const int threads : {32, 64, 128, 256, 512, 1024})
        for (const int an_sm : {1, 2, 8}) {
          if (an_sm * threads > 1024) continue;
          const int warps = threads / 32;
          for (const int delay : {0, 1000, 4000})
            for (const int times : {1, 4})
              one(cluster, threads, an_sm, 0, warps, times, delay, fence_only);
          if (warps > 1 && an_sm == 1)
            for (const int delay : {0, 1000}) {
              one(cluster, threads, an_sm, 0, 1, 1, delay, fence_only);
              one(cluster, threads, an_sm, 1, 2, 1, delay, fence_only);
              one(cluster, threads, an_sm, 0, warps / 2, 1, delay, fence_only);
            }
        }
    }
}

int main() {
  auto* const data = device_room<float>(16LL * 1024 * 1024 * 4 + (1 << 24), 0);
  auto* const out = device_room<long long>(16 * 2000);
  std::printf(
      "what,before,cluster,threads,blocks_an_sm,from_warp,to_warp,accesses,delay,first_cycles,second_"
      "cycles\n");
  run<nothing>(data, out), run<loads>(data, out), run<copies4>(data, out), run<copies16>(data, out);
  run<stores>(data, out), run<shared_stores>(data, out);
  return 0;
}
