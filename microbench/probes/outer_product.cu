// The inner step of a GEMM: a thread's TILE_M x TILE_N outer products, operands two steps deep in registers.
// LOADS = 1: each step's operands are loaded from shared memory one step ahead, 16 bytes at a time, a warp
// 4 x 8 threads: conflict-free, with 4 and 8 different vectors a load. LOADS = 0: the same without the loads.
// STEPS steps a round, an even number: with an odd one the round's last loads would be overwritten unused.
// sm_90 code: the loop is STEPS TILE_M TILE_N FFMA, STEPS (TILE_M + TILE_N) / 4 LDS.128, IADD3, ISETP, BRA.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

static_assert(STEPS % 2 == 0);

template <int Count>
__device__ inline void load_fragment(float (&to)[Count], unsigned at, unsigned distance) {
  static_assert(Count % 4 == 0);
#pragma unroll
  for (int i = 0; i < Count / 4; ++i) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[4 * i]), "=f"(to[4 * i + 1]), "=f"(to[4 * i + 2]), "=f"(to[4 * i + 3])
                 : "r"(at + i * distance));
  }
}

extern "C" __global__ void outer_product(const float*, const float* b, float* c, LoopParams p) {
  // A row a step: the compiler would load the same address only once.
  constexpr unsigned rows = STEPS, lanes_m = 4, lanes_n = 8;
  constexpr unsigned block_m = 2 * lanes_m * TILE_M, block_n = 4 * lanes_n * TILE_N;  // 2 x 4 warps
  __shared__ __align__(16) float left[rows * block_m], right[rows * block_n];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto number = [&](unsigned i) { return b[1] * static_cast<float>(mixed(i) >> 8); };
  for (unsigned i = threadIdx.x; i < rows * block_m; i += blockDim.x)
    left[i] = number(i);
  for (unsigned i = threadIdx.x; i < rows * block_n; i += blockDim.x)
    right[i] = number(i + 7777);
  const unsigned at_m = static_cast<unsigned>(__cvta_generic_to_shared(left)) +
                        (warp % 2 * lanes_m * TILE_M + lane / lanes_n * 4) * 4;
  const unsigned at_n = static_cast<unsigned>(__cvta_generic_to_shared(right)) +
                        (warp / 2 % 4 * lanes_n * TILE_N + lane % lanes_n * 4) * 4;
  __syncthreads();
  float m[2][TILE_M], n[2][TILE_N], sum[TILE_M][TILE_N];
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    load_fragment(m[s], at_m + s * block_m * 4, lanes_m * 16);
    load_fragment(n[s], at_n + s * block_n * 4, lanes_n * 16);
  }
#pragma unroll
  for (int i = 0; i < TILE_M * TILE_N; ++i)
    sum[i / TILE_N][i % TILE_N] = number(threadIdx.x + i * 1024U);
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned r = 0; r < p.iterations; ++r) {
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      if (LOADS) {
        load_fragment(m[(k + 1) % 2], at_m + (k + 1) % rows * block_m * 4, lanes_m * 16);
        load_fragment(n[(k + 1) % 2], at_n + (k + 1) % rows * block_n * 4, lanes_n * 16);
      }
#pragma unroll
      for (int i = 0; i < TILE_M; ++i) {
#pragma unroll
        for (int j = 0; j < TILE_N; ++j)
          sum[i][j] = __fmaf_rn(m[k % 2][i], n[k % 2][j], sum[i][j]);
      }
    }
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < TILE_M * TILE_N; ++i)
    total += sum[i / TILE_N][i % TILE_N];
  if (__float_as_uint(total) == p.never) c[0] = total;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
