// The multiply-adds of a register tile as the compiler allocates it: TILE_M weights times TILE_P pixels of a
// window, tap by tap, as a convolution's inner loop has them, without its loads. Weights, window and
// accumulators are registers of their own, so that register ports and the reuse cache show.
// BODY multiply-adds a round, a multiple of TAPS TILE_M TILE_P.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

extern "C" __global__ void register_tile(const float*, const float* b, float* c, LoopParams p) {
  constexpr int window = TILE_P + TAPS - 1;
  // Different from thread to thread, so that no operand is a uniform register, and small: sums stay finite.
  const float scale = b[1];
  const auto number = [&](unsigned i) {
    return scale *
           static_cast<float>(static_cast<int>(mixed(threadIdx.x + (blockIdx.x + 1) * i * 1024U)) >> 8);
  };
  float x[window], w[TAPS][TILE_M], sum[TILE_M][TILE_P];
#pragma unroll
  for (int i = 0; i < window; ++i)
    x[i] = number(i);
#pragma unroll
  for (int i = 0; i < TAPS * TILE_M; ++i)
    w[i / TILE_M][i % TILE_M] = number(window + i);
#pragma unroll
  for (int i = 0; i < TILE_M * TILE_P; ++i)
    sum[i / TILE_P][i % TILE_P] = number(window + TAPS * TILE_M + i);
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (int k = 0; k < BODY / (TILE_M * TILE_P); ++k) {
#pragma unroll
      for (int m = 0; m < TILE_M; ++m) {
#pragma unroll
        for (int q = 0; q < TILE_P; ++q)
          sum[m][q] = __fmaf_rn(w[k % TAPS][m], x[q + k % TAPS], sum[m][q]);
      }
    }
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < TILE_M * TILE_P; ++i)
    total += sum[i / TILE_P][i % TILE_P];
  if (__float_as_uint(total) == p.never) c[0] = total;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
