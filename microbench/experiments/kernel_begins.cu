// What the first instructions of a kernel take, and what it takes besides its blocks' stay: replays of a
// graph of kernels whose warps note their clock at their begin, behind something that they do, behind doing
// it again, and, behind a chain of multiply-adds, before they store the notes. `what`: nothing; special (a
// special register), constant (an argument), both (one after the other), chain (64 dependent multiply-adds),
// load (an address from two arguments and the thread's number, and what is there).
// Cycles are medians over warps, the stay's also the most of the last launch. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o kernel_begins kernel_begins.cu && ./kernel_begins
#include <cstdio>
#include <vector>

#include "experiment.hpp"

enum What { nothing, special, constant, both, chain, load, load_long, whats };
const char* const names[] = {"nothing", "special", "constant", "both", "chain", "load", "load_long"};

template <int length>
__device__ __forceinline__ float multiply(float v) {
#pragma unroll
  for (int i = 0; i < length; ++i)
    asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v));
  return v;
}

// Whether to leave: never.
template <int what, int again>
__device__ __forceinline__ bool work(unsigned t, float& v, const float* from, const int* numbers, int n0,
                                     int n1) {
  if (what == special) return threadIdx.y == (again ? 77 : 78) + (t & 1);
  if (what == constant) return static_cast<unsigned>(again ? n1 : n0) == t;
  if (what == both) return (threadIdx.y == 77 + again) || static_cast<unsigned>(again ? n1 : n0) == t;
  if (what == chain) v = multiply<64>(v);
  if (what == load || what == load_long) {
    float x;
    const float* at = from + (again ? 1 << 20 : 0) + blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(at) : "memory");
    return x == 12345.0f;
  }
  return false;
}

template <int what>
__global__ void __launch_bounds__(1024, 1)
    body(uint4* out, const float* __restrict__ from, const int* numbers, int n0, int n1, int never) {
  const unsigned t0 = now();
  float v = 1;
  if (work<what, 0>(t0, v, from, numbers, n0, n1)) return;
  const unsigned t1 = now();
  if (work<what, 1>(t1, v, from, numbers, n0, n1)) return;
  const unsigned t2 = now();
  if (what == load_long) v = multiply<512>(v);
  uint4* const to = out + blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned t3 = now();
  *to = make_uint4(t1 - t0, t2 - t1, t3 - t0, __float_as_uint(v));
}

template <int what>
void measure(int blocks, int threads, int shared, uint4* out, const float* from) {
  const auto kernel = body<what>;
  allow_shared(kernel, 220 * 1024);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  const auto us = graph_times_us(2000, 1, 5, [&](cudaStream_t s) {
    kernel<<<blocks, threads, shared, s>>>(out, from, nullptr, -1, -2, -3);
  });
  const auto host = to_host(out, static_cast<std::size_t>(blocks) * threads);
  std::vector<unsigned> first, second, stay;
  for (std::size_t i = 0; i < host.size(); i += 32) {
    first.push_back(host[i].x), second.push_back(host[i].y), stay.push_back(host[i].z);
  }
  std::printf("%s,%d,%d,%d,%.1f,%u,%u,%u,%u\n", names[what], blocks, threads, shared, 1e3 * us[2],
              median(first), median(second), median(stay), *std::max_element(stay.begin(), stay.end()));
}

int main() {
  const auto* const from = device_room<float>(1 << 24, 0);
  auto* const out = device_room<uint4>(16 << 20, 0);
  std::printf("what,blocks,threads,shared_bytes,ns_a_kernel,first,again,stay_median,stay_most\n");
  for (const int shared : {0, 55 << 10})
    for (const int blocks : {1, 16, 66, 132, 264})
      for (const int threads : {32, 64, 128, 256, 512}) {
        measure<nothing>(blocks, threads, shared, out, from);
        measure<special>(blocks, threads, shared, out, from);
        measure<constant>(blocks, threads, shared, out, from);
        measure<both>(blocks, threads, shared, out, from);
        measure<chain>(blocks, threads, shared, out, from);
        measure<load>(blocks, threads, shared, out, from);
        measure<load_long>(blocks, threads, shared, out, from);
      }
  return 0;
}
