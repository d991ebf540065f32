// ILP independent chains of FFMA a thread, BODY of them in the loop: accumulator, and two registers that all
// chains share, so that register ports do not limit.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

extern "C" __global__ void fma_chains(const float*, const float* b, float* c, LoopParams p) {
  // b holds the two multipliers; -x with x just below 1 flips sign and mantissa bits at every step.
  const float x = b[0], y = b[1] * static_cast<float>(mixed(threadIdx.x + blockIdx.x * 1024U) >> 8);
  float sum[ILP];
#pragma unroll
  for (int i = 0; i < ILP; ++i)
    sum[i] = y * static_cast<float>(i + 2);
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (int k = 0; k < BODY / ILP; ++k) {
#pragma unroll
      for (int i = 0; i < ILP; ++i)
        sum[i] = __fmaf_rn(sum[i], x, y);
    }
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < ILP; ++i)
    total += sum[i];
  if (__float_as_uint(total) == p.never) c[0] = total;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
