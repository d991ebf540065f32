// Do stores wait for DRAM? One block of 16 warps an SM stores bursts of 512 bytes a warp and store, with as
// much left out between two of them, `behind` bytes behind a line's begin (16: the halves of sectors at both
// ends stay alone, which DRAM takes three times as long for), and waits so many cycles behind each burst. CSV
// to standard output: microseconds of a launch in replays of a graph, and cycles of a burst beyond the wait.
//   nvcc -O3 -arch=sm_90a -o store_bursts store_bursts.cu && ./store_bursts
#include <cstdio>

#include "experiment.hpp"

__global__ void bursts(float* out, int count, int stores, int wait, int behind) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float4 v = make_float4(lane, warp, stores, wait);
  for (int b = 0; b < count; ++b) {
    float* const to =
        out + behind / 4 + (((size_t)b * gridDim.x + blockIdx.x) * 16 + warp) * stores * 256 + 4 * lane;
    for (int s = 0; s < stores; ++s)
      *reinterpret_cast<float4*>(to + s * 256) = v;
    const long long until = clock64() + wait;
    while (clock64() < until) {
    }
    __syncthreads();
  }
}

int main() {
  const int sms = sm_count();
  auto* const out = device_room<float>(640 << 20);
  std::printf("behind,stores,mb_of_a_burst,bursts,wait_cycles,us,tb_per_s,cycles_beyond_wait\n");
  for (const int behind : {0, 16})
    for (const int stores : {1, 2, 4, 8, 16, 32}) {
      const double mb = sms * 16 * stores * 512e-6;
      for (const double total : {16., 128.}) {  // within L2, beyond
        const int count = (int)(total / mb);
        if (count < 3) continue;
        for (const double of_dram :
             {0., 0.5, 1., 1.5, 2., 3.}) {  // the wait, in what DRAM takes for the burst
          const int wait = (int)(of_dram * mb / (behind ? 1.42 : 4.4) * 1980);
          const double us = graph_time_us(
              10, 5, [&](cudaStream_t s) { bursts<<<sms, 512, 0, s>>>(out, count, stores, wait, behind); });
          std::printf("%d,%d,%.2f,%d,%d,%.2f,%.3f,%.0f\n", behind, stores, mb, count, wait, us,
                      count * mb / us, (us - 1.5) * 1980 / count - wait);
        }
      }
    }
  return 0;
}
