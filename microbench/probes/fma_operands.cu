// FFMAs with three operands of their own each, so that many registers of both banks stand in the loop: the
// code whose operands the probe exchanges (operand_patch.hpp). BODY FFMAs a round. sm_90 code: the loop is
// BODY FFMA, IADD3, ISETP, BRA.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

extern "C" __global__ void fma_operands(const float*, const float* b, float* c, LoopParams p) {
  constexpr int count = 16;
  const auto number = [&](unsigned i) {
    return b[1] *
           static_cast<float>(static_cast<int>(mixed(threadIdx.x + (blockIdx.x + 1) * i * 1024U)) >> 8);
  };
  float sum[count], w[count], v[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    sum[i] = number(i);
    w[i] = number(100 + i);
    v[i] = number(200 + i);
  }
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (int k = 0; k < BODY / count; ++k) {
#pragma unroll
      for (int i = 0; i < count; ++i)
        sum[i] = __fmaf_rn(w[(i + k) % count], v[(i + 3 * k) % count], sum[i]);
    }
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < count; ++i)
    total += sum[i];
  if (__float_as_uint(total) == p.never) c[0] = total;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
