// Counts the blocks that one SM holds at once: each adds itself to its SM's count, stays a while, and leaves.
// REGISTERS values a thread are kept live meanwhile, so that registers limit too.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"

using namespace tilecast;

extern "C" __global__ void residency(const float* a, const float*, float* c, ResidentParams p) {
#if REGISTERS > 0
  unsigned kept[REGISTERS];
#  pragma unroll
  for (int i = 0; i < REGISTERS; ++i)
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(kept[i]) : "l"(a + i));
#endif
  if (threadIdx.x == 0) {
    unsigned* counts = reinterpret_cast<unsigned*>(c) + 2 * this_sm();
    const unsigned here = atomicAdd(&counts[0], 1U) + 1;
    atomicMax(&counts[1], here);
    const unsigned long long start = nanoseconds_now();
    while (nanoseconds_now() - start < p.stay_ns) {
    }
    atomicSub(&counts[0], 1U);
  }
  __syncthreads();
#if REGISTERS > 0
  unsigned seen = 0;
#  pragma unroll
  for (int i = 0; i < REGISTERS; ++i)
    seen ^= kept[i];
  // An even number of odd words: even, and `never` is odd.
  static_assert(REGISTERS % 2 == 0);
  if (seen == p.never) c[2 * this_sm()] = 1;
#endif
}
