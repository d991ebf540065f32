// Atomic additions in device memory. RETURNING 0: red, 1: atom. FLOAT 0: u32, 1: f32. In PTX, so that no
// compiler adds up a warp's operands first. The loop of the rate holds 8 REDG or ATOMG, that of the chain 16
// ATOMG and nothing between them (SASS of sm_90).
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

__device__ inline unsigned add_returning(unsigned* p, unsigned v) {
  unsigned old;
#if FLOAT
  asm volatile("{ .reg .f32 o, v; mov.b32 v, %2; atom.relaxed.gpu.global.add.f32 o, [%1], v; mov.b32 %0, o; }"
               : "=r"(old)
               : "l"(p), "r"(v)
               : "memory");
#else
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
#endif
  return old;
}

#ifdef RETURNING
constexpr int batch = 8;

extern "C" __global__ void atomic_rate(const float*, const float* b, float* c, AtomicParams p) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  const unsigned all_warps_index = blockIdx.x * warps + warp;
  WarpRecord* record = reinterpret_cast<WarpRecord*>(c) + all_warps_index;
  unsigned* words = reinterpret_cast<unsigned*>(const_cast<float*>(b));
  unsigned* place = p.scattered ? words + (all_warps_index * 32ULL + lane) * 32
                                : words + all_warps_index % p.lines * 32ULL + lane % p.words;
  // Small numbers of both types, none zero.
#  if FLOAT
  const unsigned operand = __float_as_uint(1.0f + static_cast<float>(lane));
#  else
  const unsigned operand = mixed(threadIdx.x) | 1U;
#  endif
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
  unsigned long long batches = 0;
  do {
#  if RETURNING
    unsigned old[batch];
#    pragma unroll
    for (int u = 0; u < batch; ++u)
      old[u] = add_returning(place, operand);
#    pragma unroll
    for (int u = 0; u < batch; ++u) {
      if (old[u] == p.never) record->sm = ~0ULL;
    }
#  else
#    pragma unroll
    for (int u = 0; u < batch; ++u) {
#    if FLOAT
      asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(place), "f"(__uint_as_float(operand))
                   : "memory");
#    else
      asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(place), "r"(operand) : "memory");
#    endif
    }
#  endif
    ++batches;
  } while (cycles_now() - start_cycle < p.cycles);
  __threadfence();  // all are done: what the queues held is in the time
  const unsigned long long end_cycle = cycles_now();
  const unsigned long long end_ns = nanoseconds_now();
  if (lane == 0) *record = WarpRecord{this_sm(), start_cycle, end_cycle, start_ns, end_ns, batches};
}
#else

// Each adds what the one before returned: always zero, but nothing says so beforehand. 16 places, so that
// several slices of L2 answer. Places that all threads share would make ptxas add up a warp's operands first:
// `words` depends on the thread, though only one runs.
__device__ inline unsigned chain(unsigned* words, unsigned value, unsigned steps, unsigned line_step) {
#  pragma unroll 1
  for (unsigned i = 0; i < steps; i += 16) {
    unsigned* place = words;
#  pragma unroll
    for (int k = 0; k < 16; ++k) {
      value = add_returning(place, value);
      place += line_step;
    }
  }
  return value;
}

extern "C" __global__ void atomic_chain(const float*, const float* b, float* c, AtomicChainParams p) {
  if (this_sm() != p.sm) return;
  ChaseRecord* record = reinterpret_cast<ChaseRecord*>(c);
  if (atomicExch(&record->turn, static_cast<unsigned long long>(p.turn)) == p.turn) return;
  unsigned* words = reinterpret_cast<unsigned*>(const_cast<float*>(b)) + threadIdx.x;
  unsigned value = chain(words, 0, 32, p.line_step);
  if (value == 1) record->at = 1;
  const unsigned long long c0 = cycles_now();
  value = chain(words, value, p.short_steps, p.line_step);
  if (value == 1) record->at = 2;
  const unsigned long long c1 = cycles_now();
  value = chain(words, value, p.long_steps, p.line_step);
  if (value == 1) record->at = 3;
  const unsigned long long c2 = cycles_now();
  record->short_cycles = c1 - c0;
  record->long_cycles = c2 - c1;
  record->sm = this_sm();
  record->at = value;
}
#endif
