// BODY barriers in a row: the difference between two BODYs has no loop in it.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"

using namespace tilecast;

extern "C" __global__ void barriers(const float*, const float*, float* c, LoopParams p) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (int k = 0; k < BODY; ++k)
      __syncthreads();
  }
  const unsigned long long end_cycle = cycles_now();
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<WarpRecord*>(c)[static_cast<unsigned long long>(blockIdx.x) * warps + warp] =
        WarpRecord{sm, start_cycle, end_cycle, 0, 0, p.iterations};
  }
}
