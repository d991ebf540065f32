// How many FMAs hide a load: each warp asks for the next LOADS vectors of a random place in memory, does FMAS
// multiply-adds a thread that do not depend on it, and then uses what it asked for.
// sm_90 code: in the loop LOADS LDG first, then FMAS FFMA, the uses of the loaded registers after the last
// but few of them; 20 other instructions at most (next place: LCG, loop).
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

extern "C" __global__ void n_fma(const float* a, const float* b, float* c, HideParams p) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  // Both different from thread to thread, lest they become uniform registers.
  const float y = b[1] * static_cast<float>(mixed(threadIdx.x + blockIdx.x * 1024U) >> 8),
              x = b[0] + y * 1e-9F;
  constexpr int chains = 8;
  float sum[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i)
    sum[i] = y * static_cast<float>(i + 2);
  // A full-period linear congruential generator (Knuth; Numerical Recipes' constants) over 2^32; its high
  // bits choose the node, so that every run of a warp goes its own way through the whole footprint.
  unsigned place = static_cast<unsigned>(mixed((blockIdx.x * 32U + warp) * 2654435761U + p.seed));
  unsigned seen = 0;
  const unsigned sm = this_sm();
  const unsigned long long record = static_cast<unsigned long long>(blockIdx.x) * warps + warp;
  if (p.sm >= 0 && sm != static_cast<unsigned>(p.sm)) {
    if (lane == 0) reinterpret_cast<WarpRecord*>(c)[record] = WarpRecord{sm, 0, 0, 0, 0, 0};
    __nanosleep(4000);  // until every SM has its block: none may get two and the chosen one none
    return;
  }
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
  uint4 v[LOADS] = {};
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
    // What the last round asked for is used here, so that no compiler can move the use up between the FMAs.
#pragma unroll
    for (int i = 0; i < LOADS; ++i)
      seen ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
    const char* at = reinterpret_cast<const char*>(a) +
                     static_cast<unsigned long long>(place >> p.shift) * (LOADS * 512) + lane * 16;
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                   : "l"(at + i * 512)
                   : "memory");
    }
    place = place * 1664525U + 1013904223U;
    // Once round; a loop nevertheless, since the compiler moves no load into or past one.
#pragma unroll 1
    for (unsigned once = 0; once < p.once; ++once) {
#pragma unroll
      for (int k = 0; k < FMAS / chains; ++k) {
#pragma unroll
        for (int i = 0; i < chains; ++i)
          sum[i] = __fmaf_rn(sum[i], x, y);
      }
    }
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i)
    total += sum[i];
  if (__float_as_uint(total) == p.never) c[0] = total;
  if (seen == p.never) c[1] = 1;
  const unsigned long long end_cycle = cycles_now();
  const unsigned long long end_ns = nanoseconds_now();
  if (lane == 0) {
    reinterpret_cast<WarpRecord*>(c)[record] =
        WarpRecord{sm, start_cycle, end_cycle, start_ns, end_ns, p.iterations};
  }
}
