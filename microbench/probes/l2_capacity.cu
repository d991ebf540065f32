// Which of the lines read before are still in L2.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

extern "C" __global__ void l2_sweep(const float* a, const float*, float* out, SweepParams p) {
  const unsigned long long part = p.bytes / gridDim.x;
  unsigned seen = 0;
  for (unsigned pass = 0; pass < p.passes; ++pass) {
    const unsigned who = (blockIdx.x + pass * p.shift) % gridDim.x;
    const char* from = reinterpret_cast<const char*>(a) + p.offset + who * part;
#pragma unroll 4
    for (unsigned long long at = threadIdx.x * 16; at < part; at += blockDim.x * 16) {
      unsigned x, y, z, w;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                   : "l"(from + at)
                   : "memory");
      seen |= x & y & z & w;
    }
    __syncthreads();
  }
  if (seen == p.never) *out = 1;
}

// Between the clock reads stand one LDG and the compare that waits for it (SASS of sm_90). The page's first
// line is loaded before, so that the timed load finds its address in the TLB.
extern "C" __global__ void l2_sample(const float* a, const float*, float* out, SampleParams p) {
  if (this_sm() != p.sm) return;
  SampleRecord* record = reinterpret_cast<SampleRecord*>(out);
  if (atomicExch(&record->turn, static_cast<unsigned long long>(p.turn)) == p.turn) return;
  unsigned* cycles = reinterpret_cast<unsigned*>(record + 1);
  const unsigned long long base = reinterpret_cast<unsigned long long>(a) + p.offset;
  constexpr unsigned long long page = 2ULL << 20;
  for (unsigned i = 0; i < p.samples; ++i) {
    const unsigned long long line = base + permuted(i, p.lines, p.seed) * 128;
    const unsigned long long first = line / page * page > base ? line / page * page : base;
    unsigned value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(first) : "memory");
    if (value == p.never) record->sm = 1;
    const unsigned long long c0 = cycles_now();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(line) : "memory");
    if (value == p.never) record->sm = 2;
    const unsigned long long c1 = cycles_now();
    cycles[i] = static_cast<unsigned>(c1 - c0);
  }
  record->sm = this_sm();
}
