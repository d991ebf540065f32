// Which of the lines read before are still in L2. All blocks read a footprint several times over; when all
// are done, one thread of each loads lines picked at random, one at a time, and times each.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

// All blocks are resident at once (one an SM), so that waiting for each other ends.
__device__ inline void wait_for_all(unsigned long long* arrived, unsigned long long until) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1ULL);
    unsigned long long now = 0;
    do {
      asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(arrived) : "memory");
    } while (now < until);
  }
  __syncthreads();
}

__device__ inline unsigned load_word(unsigned long long at) {
  unsigned value;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

// Between the clock reads of a sample stand one LDG and the compare that waits for it (SASS of sm_90). The
// page's first line is loaded before, so that the timed load finds its address in the TLB.
extern "C" __global__ void l2_residency(const float* a, const float* b, float* c, ResidencyParams p) {
  unsigned* cycles = reinterpret_cast<unsigned*>(c) + static_cast<unsigned long long>(blockIdx.x) * p.samples;
  const unsigned long long base = reinterpret_cast<unsigned long long>(a) + p.offset;
  const unsigned long long part = p.bytes / gridDim.x;
  unsigned long long mine = base + blockIdx.x * part;
  unsigned seen = 0;
  for (unsigned pass = 0; pass < p.passes; ++pass) {
    mine = base + (blockIdx.x + pass * p.shift) % gridDim.x * part;
#pragma unroll 4
    for (unsigned long long at = threadIdx.x * 16; at < part; at += blockDim.x * 16) {
      unsigned x, y, z, w;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                   : "l"(mine + at)
                   : "memory");
      seen |= x & y & z & w;
    }
    __syncthreads();
  }
  if (seen == p.never) *cycles = 1;
  wait_for_all(reinterpret_cast<unsigned long long*>(const_cast<float*>(b)), p.arrivals);
  if (threadIdx.x != 0) return;
  const unsigned long long from = p.from == 0 ? base : base + (blockIdx.x + p.from - 1) % gridDim.x * part;
  const unsigned long long lines = (p.from == 0 ? p.bytes : part) / 128;
  constexpr unsigned long long page = 2ULL << 20;
  for (unsigned i = 0; i < p.samples; ++i) {
    // No line twice, by whichever block: the second time it would hit.
    const unsigned long long index = p.from == 0 ? blockIdx.x * p.samples + i : i;
    const unsigned long long line = from + permuted(index, lines, p.seed) * 128;
    const unsigned long long first = line / page * page;
    if (load_word(first > from ? first : from) == p.never) cycles[0] = 2;
    const unsigned long long c0 = cycles_now();
    if (load_word(line) == p.never) cycles[0] = 3;
    const unsigned long long c1 = cycles_now();
    cycles[i] = static_cast<unsigned>(c1 - c0);
  }
}
