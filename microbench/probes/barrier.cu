// BODY barriers, or fences, in a row: the difference between two BODYs has no loop in it.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"

using namespace tilecast;

#ifndef STORES
#  define STORES 0
#endif

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

// Fences for the whole GPU: with nothing under way, or each behind a store of the warp's own (STORES 1).
extern "C" __global__ void fences(const float* a, const float*, float* c, LoopParams p) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
  [[maybe_unused]] unsigned* place =
      reinterpret_cast<unsigned*>(const_cast<float*>(a)) + blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (int k = 0; k < BODY; ++k) {
#if STORES
      asm volatile("st.global.u32 [%0], %1;" ::"l"(place), "r"(n + k) : "memory");
#endif
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
  }
  const unsigned long long end_cycle = cycles_now();
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<WarpRecord*>(c)[static_cast<unsigned long long>(blockIdx.x) * warps + warp] =
        WarpRecord{sm, start_cycle, end_cycle, 0, 0, p.iterations};
  }
}
