// How long a warp needs to issue LOADS shared-memory loads in a row, when nothing is under way before: what
// the memory pipeline does not hold waits at the warp. Lane l loads at the byte offset a[l]. SCHEDULERS of an
// SM's four have work (shared_access.cu). sm_90 code: LOADS LDS between two CS2R, whose stall counts the
// probe sets to one; then what adds the loaded words and the cycles up, a store, a barrier.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

#ifndef LOADS
#  define LOADS 1
#endif
#ifndef SCHEDULERS
#  define SCHEDULERS 1
#endif

// The record's cycles are those of the bursts alone.
extern "C" __global__ void issue_burst(const float* a, const float*, float* c, LoopParams p) {
  constexpr unsigned tile_words = 2048;
  __shared__ __align__(16) unsigned tile[tile_words];
  __shared__ unsigned sink[1024];
  for (unsigned i = threadIdx.x; i < tile_words; i += blockDim.x)
    tile[i] = mixed(i) | 1U;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) +
                      reinterpret_cast<const unsigned*>(a)[threadIdx.x % 32];
  const unsigned drain = static_cast<unsigned>(__cvta_generic_to_shared(sink + threadIdx.x));
  const unsigned sm = this_sm();
  // Not the same for all lanes: else the clock's readings would be moved to uniform registers, among the
  // loads.
  const unsigned long long before = at;
  unsigned long long cycles = before;
  __syncthreads();
  if (threadIdx.x / 32 % 4 >= SCHEDULERS) return;
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
    unsigned loaded[LOADS];
    const unsigned long long start = cycles_now();
#pragma unroll
    for (unsigned k = 0; k < LOADS; ++k)
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(loaded[k]) : "r"(at + k % 4 * 128) : "memory");
    const unsigned long long end = cycles_now();
    asm volatile("sub.u64 %0, %0, %1;" : "+l"(cycles) : "l"(start));
    asm volatile("add.u64 %0, %0, %1;" : "+l"(cycles) : "l"(end));
    // The store needs all that was loaded, and the barrier comes behind the store: then nothing is under way.
    unsigned seen = 0;
#pragma unroll
    for (unsigned k = 0; k < LOADS; ++k)
      seen ^= loaded[k];
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(drain), "r"(seen) : "memory");
    __syncthreads();
  }
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<WarpRecord*>(
        c)[static_cast<unsigned long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32] =
        WarpRecord{sm, 0, cycles - before, 0, 0, p.iterations};
  }
}
