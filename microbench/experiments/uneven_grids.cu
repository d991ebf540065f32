// Whether what a further block costs a kernel is an SM's or the device's: replays of a graph of kernels whose
// blocks leave, stay for a known time, or stay and store, with grids that do not divide evenly over the SMs.
// CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o uneven_grids uneven_grids.cu && ./uneven_grids
#include <cstdio>

#include "experiment.hpp"

enum Mode { nothing, stay, stay_store, modes };
const char* const names[] = {"nothing", "stay", "stay_store"};

template <int mode>
__global__ void __launch_bounds__(512) body(float* to, unsigned cycles) {
  unsigned begin;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
  unsigned now = begin;
  if (mode != nothing) {
    do
      asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
    while (now - begin < cycles);
  }
  if (mode == stay_store) to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (cycles == 0xffffffffu) to[0] = static_cast<float>(now);
}

using Kernel = void (*)(float*, unsigned);
int main() {
  const Kernel kernels[modes] = {body<nothing>, body<stay>, body<stay_store>};
  auto* const to = device_room<float>(1 << 22);
  std::printf("mode,blocks,threads,stay_cycles,ns_a_kernel\n");
  for (int m = 0; m < modes; ++m)
    for (int threads : {32, 128, 256})
      for (unsigned cycles : {1500u, 4000u})
        for (int each : {1, 2, 3, 4, 7})
          for (int more : {0, 1, 8, 33, 66, 99, 124}) {
            if (m == nothing && cycles != 1500u) continue;
            const int blocks = 132 * each + more;
            const auto us = graph_times_us(200, 2, 7, [&](cudaStream_t stream) {
              kernels[m]<<<blocks, threads, 0, stream>>>(to, cycles);
            });
            std::printf("%s,%d,%d,%u,%.1f\n", names[m], blocks, threads, m == nothing ? 0 : cycles,
                        1e3 * us[3]);
          }
  return 0;
}
