// Kernels that are wrong on purpose, for the self-test: each is a mistake that has been published.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"

using namespace tilecast;

// The sums go nowhere: the compiler removes them, and the loop with them.
extern "C" __global__ void fma_without_result(const float*, const float* b, float* c, LoopParams p) {
  const float x = b[0], y = b[1];
  float sum[ILP];
#pragma unroll
  for (int i = 0; i < ILP; ++i)
    sum[i] = y * static_cast<float>(i + threadIdx.x);
  const unsigned sm = this_sm();
  const unsigned long long start_ns = nanoseconds_now(), start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (int k = 0; k < BODY / ILP; ++k) {
#pragma unroll
      for (int i = 0; i < ILP; ++i)
        sum[i] = __fmaf_rn(sum[i], x, y);
    }
  }
  const unsigned long long end_cycle = cycles_now(), end_ns = nanoseconds_now();
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<WarpRecord*>(
        c)[static_cast<unsigned long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32] =
        WarpRecord{sm, start_cycle, end_cycle, start_ns, end_ns, p.iterations};
  }
}

// One dependent FMA a round: the loop's counter, comparison and branch are measured with it.
extern "C" __global__ void fma_not_unrolled(const float*, const float* b, float* c, LoopParams p) {
  const float x = b[0], y = b[1];
  float sum = y * static_cast<float>(threadIdx.x);
  const unsigned sm = this_sm();
  const unsigned long long start_ns = nanoseconds_now(), start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n)
    sum = __fmaf_rn(sum, x, y);
  if (__float_as_uint(sum) == p.never) c[0] = sum;
  const unsigned long long end_cycle = cycles_now(), end_ns = nanoseconds_now();
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<WarpRecord*>(
        c)[static_cast<unsigned long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32] =
        WarpRecord{sm, start_cycle, end_cycle, start_ns, end_ns, p.iterations};
  }
}
