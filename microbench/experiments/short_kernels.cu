// What the parts of a short kernel take by its grid: replays of a graph of kernels that do nothing, load,
// store, or load, stay for a known time and store. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o short_kernels short_kernels.cu && ./short_kernels
#include <cstdio>

#include "experiment.hpp"

enum Mode { nothing, stay, load, load_stay, store, stay_store, load_stay_store, modes };
const char* const names[] = {"nothing", "stay",       "load",           "load_stay",
                             "store",   "stay_store", "load_stay_store"};

template <int mode>
__global__ void __launch_bounds__(512)
    body(const float* __restrict__ from, float* to, unsigned cycles, unsigned* spans) {
  unsigned begin;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 1;
  if (mode == load || mode == load_stay || mode == load_stay_store) {
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from + at) : "memory");
    if (value == 12345.0f) to[at] = 1;  // waits for it
  }
  unsigned now = begin;
  if (mode == stay || mode == load_stay || mode == stay_store || mode == load_stay_store) {
    do
      asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
    while (now - begin < cycles);
  }
  if (mode == store || mode == stay_store || mode == load_stay_store) to[at] = value;
  if (cycles == 0xffffffffu) spans[0] = now;
}

using Kernel = void (*)(const float*, float*, unsigned, unsigned*);
int main() {
  const Kernel kernels[modes] = {body<0>, body<1>, body<2>, body<3>, body<4>, body<5>, body<6>};
  auto* const from = device_room<float>(1 << 22, 0);
  auto* const to = device_room<float>(1 << 22);
  auto* const spans = device_room<unsigned>(1 << 12);
  std::printf("mode,blocks,threads,shared_bytes,stay_cycles,ns_a_kernel\n");
  for (int m = 0; m < modes; ++m)
    for (int blocks : {1, 12, 28, 66, 132, 264})
      for (int threads : {32, 128, 512})
        for (int bytes : {0, 16384, 100000})
          for (unsigned cycles : {1500u, 4000u}) {
            const bool stays = m == stay || m == load_stay || m == stay_store || m == load_stay_store;
            if (!stays && cycles != 1500u) continue;
            allow_shared(kernels[m], 100000);
            CHECK(cudaFuncSetAttribute(kernels[m], cudaFuncAttributePreferredSharedMemoryCarveout, 100));
            const auto us = graph_times_us(200, 2, 7, [&](cudaStream_t stream) {
              kernels[m]<<<blocks, threads, bytes, stream>>>(from, to, cycles, spans);
            });
            std::printf("%s,%d,%d,%d,%u,%.1f\n", names[m], blocks, threads, bytes, stays ? cycles : 0,
                        1e3 * us[3]);
          }
  return 0;
}
