// Where a launch's first access waits: replays of a graph of kernels whose blocks note the clock of their SM
// at their begin, behind the first load, behind a second one that waits for it, at their end; and when the
// next kernel's block on the same SM begins.
// `none` stores its notes only, `load` loads at once, `late` loads after 1500 cycles, `stay` takes as long
// and loads nothing, `copy` copies to shared memory first. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o first_loads first_loads.cu && ./first_loads
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "experiment.hpp"

enum Mode { none, load, late, stay, copy, modes };
const char* const names[] = {"none", "load", "late", "stay", "copy"};
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
    const unsigned sm = sm_id();
    const unsigned warp = at / 32;
    notes[(node * 8192 + warp) * 2] = make_uint4(begin, start, first, second);
    notes[(node * 8192 + warp) * 2 + 1] = make_uint4(now(), sm, 0, 0);
  }
}
using Kernel = void (*)(const float*, uint4*, unsigned, float*);
int main() {
  const Kernel kernels[modes] = {body<0>, body<1>, body<2>, body<3>, body<4>};
  constexpr int nodes = 40;
  auto* const from = device_room<float>(8 << 20, 0);
  auto* const other = device_room<float>(8 << 20);
  const size_t words = size_t(nodes) * 8192 * 2;
  auto* const notes = device_room<uint4>(words * 16);
  std::printf(
      "mode,blocks,threads,ns_a_kernel,first_p10,first_p50,first_p90,first_most,second_p10,second_p50,second_"
      "p90,second_most,between_p10,between_p50,between_p90,stay_p50,stay_most\n");
  for (int m = 0; m < modes; ++m)
    for (int blocks : {1, 12, 28, 66, 132})
      for (int threads : {32, 128, 512}) {
        unsigned node = 0;
        const auto us = graph_times_us(nodes, 0, 7, [&](cudaStream_t s) {
          kernels[m]<<<blocks, threads, 0, s>>>(from, notes, node++, other);
        });
        const auto host = to_host(notes, words);
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
            if (!begins.count(y.y) || sooner(x.x, begins[y.y])) begins[y.y] = x.x;
            if (!ends.count(y.y) || sooner(ends[y.y], y.x)) ends[y.y] = y.x;
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
        std::printf("%s,%d,%d,%.1f,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", names[m], blocks, threads,
                    1e3 * us[3], at_share(first, .1), at_share(first, .5), at_share(first, .9), first.back(),
                    at_share(second, .1), at_share(second, .5), at_share(second, .9), second.back(),
                    at_share(between, .1), at_share(between, .5), at_share(between, .9), at_share(stays, .5),
                    stays.back());
      }
  return 0;
}
