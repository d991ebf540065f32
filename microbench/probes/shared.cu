// Shared memory: a chase of dependent 4-byte loads, and 16-byte loads by all warps without bank conflicts.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

extern "C" __global__ void shared_chase(const float*, const float*, float* c, ChaseParams p) {
  constexpr unsigned nodes = 1024;
  __shared__ unsigned ring[nodes];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(ring));
  for (unsigned i = threadIdx.x; i < nodes; i += blockDim.x) {
    ring[permuted(i, nodes, 1)] = base + 4 * static_cast<unsigned>(permuted((i + 1) % nodes, nodes, 1));
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  ChaseRecord* record = reinterpret_cast<ChaseRecord*>(c);
  unsigned at = base;
  unsigned long long window[2];
  const unsigned steps[2] = {p.short_steps, p.long_steps};
#pragma unroll
  for (int w = 0; w < 2; ++w) {
    if (at == 1) record->at = 1;
    const unsigned long long begin = cycles_now();
#pragma unroll 1
    for (unsigned i = 0; i < steps[w]; i += 16) {
#pragma unroll
      for (int k = 0; k < 16; ++k)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    if (at == 1) record->at = 2;
    window[w] = cycles_now() - begin;
  }
  record->short_cycles = window[0];
  record->long_cycles = window[1];
  record->sm = this_sm();
  record->at = at;
}

extern "C" __global__ void shared_read(const float*, const float*, float* c, LoopParams p) {
  __shared__ uint4 tile[1024];  // 16 KiB
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
    tile[i] = make_uint4(mixed(i) | 1U, mixed(i + 1) | 1U, mixed(i + 2) | 1U, mixed(i + 3) | 1U);
  }
  const unsigned lane = threadIdx.x % 32;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + lane * 16;
  const unsigned sm = this_sm();
  unsigned seen = 0;
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (unsigned k = 0; k < 32; ++k) {
      uint4 v;
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "r"(at + k * 512)
                   : "memory");
      seen ^= v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  if (seen & 1U) c[0] = 1;  // four odd words XORed are even: never
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
