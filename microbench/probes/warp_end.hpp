#pragma once
// Device code only: the end of a timed warp.

#include "probes/device_clock.hpp"
#include "probes/params.hpp"

namespace tilecast {

// Reads the clocks and writes the warp's record; all of its lanes take part.
__device__ inline void leave(float* c, unsigned sm, unsigned long long start_ns,
                             unsigned long long start_cycle, unsigned iterations) {
  const unsigned long long end_cycle = cycles_now();
  const unsigned long long end_ns = nanoseconds_now();
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<WarpRecord*>(
        c)[static_cast<unsigned long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32] =
        WarpRecord{sm, start_cycle, end_cycle, start_ns, end_ns, iterations};
  }
}

}  // namespace tilecast
