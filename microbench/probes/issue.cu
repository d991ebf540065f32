// FFMAs with other instructions among them, OTHERS of every 8: KIND 1 IMAD, 2 LOP3 and SHF in turn. All in
// chains of their own, eight of each kind, the others with one fresh register each: issue slots and pipes
// limit, not register ports. sm_90 code: the loop is BODY instructions, of which BODY OTHERS / 8 of the other
// kind, IADD3, ISETP, BRA.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

extern "C" __global__ void issue_mix(const float*, const float* b, float* c, LoopParams p) {
  const float x = b[0], y = b[1] * static_cast<float>(mixed(threadIdx.x + blockIdx.x * 1024U) >> 8);
  const unsigned m = mixed(threadIdx.x + 4711U);
  constexpr int chains = 8;
  float sum[chains];
  unsigned number[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) {
    sum[i] = y * static_cast<float>(i + 2);
    number[i] = mixed(threadIdx.x + i * 1024U);
  }
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (int k = 0; k < BODY / 8; ++k) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        // Spread evenly: the i-th is another one where the line of slope OTHERS / 8 makes a step.
        if ((i + 1) * OTHERS / 8 > i * OTHERS / 8) {
          if (KIND == 1) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(number[i]) : "r"(m));
          // In turn, since the compiler makes one of two logic operations or of two rotations. No additions:
          // it spreads those over two pipes (IADD3, VIADD).
          if (KIND == 2 && k % 2 == 0) asm volatile("xor.b32 %0, %0, 1013904223;" : "+r"(number[i]));
          if (KIND == 2 && k % 2 == 1) asm volatile("shf.l.wrap.b32 %0, %0, %0, 7;" : "+r"(number[i]));
        } else {
          sum[i] = __fmaf_rn(sum[i], x, y);
        }
      }
    }
  }
  float total = 0;
  unsigned seen = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i) {
    total += sum[i];
    seen ^= number[i];
  }
  if (__float_as_uint(total) == p.never) c[0] = total;
  if (seen == p.never) c[1] = 1;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
