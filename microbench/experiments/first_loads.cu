// Where a launch's first access waits: replays of a graph of kernels whose blocks note the clock of their SM
// at their begin, behind the first load, behind a second one that waits for it, at their end; and when the
// next kernel's block on the same SM begins.
// `none` stores its notes only, `load` loads at once, `late` loads after 1500 cycles, `stay` takes as long
// and loads nothing, `copy` copies to shared memory first. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -std=c++17 -o first_loads first_loads.cu && ./first_loads
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "check.hpp"

enum Mode { none, load, late, stay, copy, modes };
const char* const names[] = {"none", "load", "late", "stay", "copy"};
__device__ __forceinline__ unsigned now() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}
__device__ __forceinline__ float get(const float* from) {
  float v;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
  return v;
}

template <int mode>
__global__ void __launch_bounds__(512)
    body(const float* __restrict__ from, uint4* notes, unsigned node, float* other) {
  const unsigned begin = now();
  __shared__ float room[512];
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned first = begin, second = begin, start = begin;
  if (mode == late || mode == stay)
    while (now() - begin < 1500) {
    }
  start = now();
  if (mode == load || mode == late) {
    float v = get(from + at);
    if (v == 12345.0f) other[at] = 1;
    first = now();
    v = get(from + at + 131072 + (v == 3.0f));
    if (v == 12345.0f) other[at] = 1;
    second = now();
  }
  if (mode == copy) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(room + threadIdx.x)),
                 "l"(from + at)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    first = now();
    float v = get(from + at + 131072 + (room[threadIdx.x] == 3.0f));
    if (v == 12345.0f) other[at] = 1;
    second = now();
  }
  if (threadIdx.x % 32 == 0) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const unsigned warp = at / 32;
    notes[(node * 8192 + warp) * 2] = make_uint4(begin, start, first, second);
    notes[(node * 8192 + warp) * 2 + 1] = make_uint4(now(), sm, 0, 0);
  }
}
using Kernel = void (*)(const float*, uint4*, unsigned, float*);
int main() {
  const Kernel kernels[modes] = {body<0>, body<1>, body<2>, body<3>, body<4>};
  constexpr int nodes = 40;
  float *from, *other;
  uint4* notes;
  CHECK(cudaMalloc(&from, 8 << 20));
  CHECK(cudaMalloc(&other, 8 << 20));
  CHECK(cudaMemset(from, 0, 8 << 20));
  const size_t words = size_t(nodes) * 8192 * 2;
  CHECK(cudaMalloc(&notes, words * 16));
  std::vector<uint4> host(words);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  printf(
      "mode,blocks,threads,ns_a_kernel,first_p10,first_p50,first_p90,first_most,second_p10,second_p50,second_"
      "p90,second_most,between_p10,between_p50,between_p90,stay_p50,stay_most\n");
  for (int m = 0; m < modes; ++m)
    for (int blocks : {1, 12, 28, 66, 132})
      for (int threads : {32, 128, 512}) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (unsigned i = 0; i < nodes; ++i)
          kernels[m]<<<blocks, threads, 0, stream>>>(from, notes, i, other);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        std::vector<float> times;
        for (int i = 0; i < 7; ++i) {
          CHECK(cudaEventRecord(a, stream));
          CHECK(cudaGraphLaunch(exec, stream));
          CHECK(cudaEventRecord(b, stream));
          CHECK(cudaEventSynchronize(b));
          float ms;
          CHECK(cudaEventElapsedTime(&ms, a, b));
          times.push_back(ms);
        }
        std::sort(times.begin(), times.end());
        CHECK(cudaMemcpy(host.data(), notes, words * 16, cudaMemcpyDeviceToHost));
        std::vector<int> first, second, between, stays;
        std::map<unsigned, unsigned> ended;  // by SM
        const int warps = threads / 32;
        for (int i = 0; i < nodes; ++i) {
          std::map<unsigned, unsigned> begins, ends;
          for (int w = 0; w < blocks * warps; ++w) {
            const uint4 x = host[(size_t(i) * 8192 + w) * 2], y = host[(size_t(i) * 8192 + w) * 2 + 1];
            if (i >= 10) {
              first.push_back(int(x.z - x.y));
              second.push_back(int(x.w - x.z));
            }
            if (!begins.count(y.y) || int(x.x - begins[y.y]) < 0) begins[y.y] = x.x;
            if (!ends.count(y.y) || int(y.x - ends[y.y]) > 0) ends[y.y] = y.x;
          }
          if (i >= 10)
            for (auto& [sm, c] : begins) {
              if (ended.count(sm)) between.push_back(int(c - ended[sm]));
              stays.push_back(int(ends[sm] - c));
            }
          ended = ends;
        }
        for (auto* v : {&first, &second, &between, &stays}) {
          if (v->empty()) v->push_back(0);
          std::sort(v->begin(), v->end());
        }
        const auto q = [](const std::vector<int>& v, double p) { return v[size_t(p * (v.size() - 1))]; };
        printf("%s,%d,%d,%.1f,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", names[m], blocks, threads,
               1e6 * times[3] / nodes, q(first, .1), q(first, .5), q(first, .9), first.back(), q(second, .1),
               q(second, .5), q(second, .9), second.back(), q(between, .1), q(between, .5), q(between, .9),
               q(stays, .5), stays.back());
        CHECK(cudaGraphExecDestroy(exec));
        CHECK(cudaGraphDestroy(graph));
      }
  return 0;
}
