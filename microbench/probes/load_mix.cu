// FFMAs with a shared-memory load of WIDTH bytes a lane among every SPACING of them (0: none): what the load
// takes from the FMAs besides its own issue slot. Lane l loads at the byte offset a[l], nobody waits for the
// words. FMAS and SPACING are powers of two. sm_90 code: the loop is FMAS FFMA in 16 chains (accumulator, two
// registers common to all), FMAS / SPACING LDS, IADD3, ISETP, BRA.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

#ifndef WIDTH
#  define WIDTH 16
#endif
#ifndef SPACING
#  define SPACING 16
#endif
#ifndef FMAS
#  define FMAS 256
#endif

extern "C" __global__ void load_mix(const float* a, const float* b, float* c, LoopParams p) {
  constexpr int chains = 16;
  __shared__ __align__(16) unsigned tile[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
    tile[i] = mixed(i) | 1U;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) +
                      reinterpret_cast<const unsigned*>(a)[threadIdx.x % 32];
  const float x = b[0], y = b[1] * static_cast<float>(mixed(threadIdx.x + blockIdx.x * 1024U) >> 8);
  float sum[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i)
    sum[i] = y * static_cast<float>(i + 2);
  unsigned loaded = 0;  // the last words only, after the loop
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (int k = 0; k < FMAS; ++k) {
      sum[k % chains] = __fmaf_rn(sum[k % chains], x, y);
      if (SPACING == 0 || k % (SPACING == 0 ? 1 : SPACING) != 0) continue;
      unsigned v[4] = {};
      if (WIDTH == 4) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(at) : "memory");
      if (WIDTH == 8)
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(v[0]), "=r"(v[1])
                     : "r"(at)
                     : "memory");
      if (WIDTH == 16) {
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(at)
                     : "memory");
      }
      loaded = v[0];
    }
  }
  if (loaded == p.never) c[1] = 1;
  float total = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i)
    total += sum[i];
  if (__float_as_uint(total) == p.never) c[0] = total;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
