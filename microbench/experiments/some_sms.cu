// What L2 takes of some of the SMs: one block of so many warps on each, 512 bytes a warp and store, whole
// lines, over sets that are written again in each launch: a part of the set a block (`own`), or all blocks
// side by side, each `strip` bytes of every turn (`turns`). CSV to standard output: microseconds of a launch
// in replays of a graph, and bytes a cycle of each SM behind the launch's own 1.3 us.
//   nvcc -O3 -arch=sm_90a -o some_sms some_sms.cu && ./some_sms
#include <cstdio>

#include "experiment.hpp"

template <bool first_out>
__global__ void store(float* out, int turns, size_t between, size_t block_step) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float4 v = make_float4(lane, warp, turns, 1);
  float* to = out + blockIdx.x * block_step + warp * 128 + 4 * lane;
  for (int i = 0; i < turns; ++i, to += between) {
    if (first_out)
      __stcs(reinterpret_cast<float4*>(to), v);
    else
      *reinterpret_cast<float4*>(to) = v;
  }
}

int main() {
  auto* const out = device_room<float>(160 << 20);
  std::printf("order,evicted_first,warps,sms,mb,us,bytes_a_cycle\n");
  for (const int warps : {4, 12, 16})
    for (const int sms : {33, 57, 66, 80, 91, 100, 110, 120, 132})
      for (const double mb : {5., 10., 20., 26., 31., 35.})
        for (const bool own : {true, false})
          for (const bool first : {false, true}) {
            if (first && (warps != 16 || mb < 20)) continue;
            const size_t strip = warps * 128;  // words
            const int turns = (int)(mb * 1e6 / 4 / (strip * sms));
            const size_t between = own ? strip : strip * sms, step = own ? strip * turns : strip;
            const double us = graph_time_us(20, 5, [&](cudaStream_t s) {
              if (first)
                store<true><<<sms, 32 * warps, 0, s>>>(out, turns, between, step);
              else
                store<false><<<sms, 32 * warps, 0, s>>>(out, turns, between, step);
            });
            std::printf("%s,%d,%d,%d,%.1f,%.2f,%.2f\n", own ? "own" : "turns", first, warps, sms, mb, us,
                        4.0 * strip * turns / ((us - 1.3) * 1980));
          }
  return 0;
}
