// Pointer chase: each node holds the address of the next, so the window holds loads and nothing else.
// CACHE 0: through L1 (.ca), 1: past it (.cg).
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

extern "C" __global__ void ring_build(const float*, const float*, float* ring, RingParams p) {
  const unsigned long long base = reinterpret_cast<unsigned long long>(ring);
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < p.nodes; i += step) {
    const unsigned long long here = base + permuted(i, p.nodes, p.seed) * p.node_bytes;
    const unsigned long long next =
        base + permuted(i + 1 == p.nodes ? 0 : i + 1, p.nodes, p.seed) * p.node_bytes;
    *reinterpret_cast<unsigned long long*>(here) = next;
  }
}

extern "C" __global__ void ring_of_self(const float*, const float*, float* ring, RingParams p) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < p.nodes; i += step) {
    const unsigned long long here = reinterpret_cast<unsigned long long>(ring) + i * p.node_bytes;
    *reinterpret_cast<unsigned long long*>(here) = here;
  }
}

// All SMs touch the nodes in the order of the chase: L2 is left as a chase that came round would leave it.
extern "C" __global__ void ring_walk(const float* ring, const float*, float* out, RingParams p) {
  const unsigned long long base = reinterpret_cast<unsigned long long>(ring);
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long seen = 0;
  for (unsigned pass = 0; pass < p.passes; ++pass) {
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
         i < p.nodes; i += step) {
      unsigned long long value;
      asm volatile("ld.global.cg.u64 %0, [%1];"
                   : "=l"(value)
                   : "l"(base + permuted(i, p.nodes, p.seed) * p.node_bytes)
                   : "memory");
      seen |= value;
    }
  }
  if (seen == 1) *out = 1;  // a node never holds 1
}

#ifdef CACHE
__device__ inline unsigned long long next_node(unsigned long long at) {
  unsigned long long next;
#  if CACHE == 0
  asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
#  else
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
#  endif
  return next;
}

__device__ inline unsigned long long walk(unsigned long long at, unsigned steps) {
#  pragma unroll 1
  for (unsigned i = 0; i < steps; i += 16) {
#  pragma unroll
    for (int k = 0; k < 16; ++k)
      at = next_node(at);
  }
  return at;
}

extern "C" __global__ void chase(const float* ring, const float*, float* out, ChaseParams p) {
  if (p.sm >= 0 && this_sm() != p.sm) return;
  ChaseRecord* record = reinterpret_cast<ChaseRecord*>(out);
  if (atomicExch(&record->turn, static_cast<unsigned long long>(p.turn)) == p.turn) return;
  unsigned long long at = reinterpret_cast<unsigned long long>(ring) + p.start;
  at = walk(at, p.warm_steps);
  // Comparing with an impossible address makes each clock read wait for the last load before it.
  if (at == 1) record->at = 1;
  const unsigned long long ns0 = nanoseconds_now();
  const unsigned long long c0 = cycles_now();
  at = walk(at, p.short_steps);
  if (at == 1) record->at = 2;
  const unsigned long long c1 = cycles_now();
  const unsigned long long ns1 = nanoseconds_now();
  if (at == 1) record->at = 3;
  const unsigned long long c2 = cycles_now();
  at = walk(at, p.long_steps);
  if (at == 1) record->at = 4;
  const unsigned long long c3 = cycles_now();
  const unsigned long long ns2 = nanoseconds_now();
  record->short_cycles = c1 - c0;
  record->long_cycles = c3 - c2;
  record->short_ns = ns1 - ns0;
  record->long_ns = ns2 - ns1;
  record->sm = this_sm();
  record->at = at;
}

// Every node of the ring points to itself: the same line again and again, hence one L2 slice.
extern "C" __global__ void line_latency(const float* ring, const float*, float* out, LinesParams p) {
  if (this_sm() != p.sm) return;
  LinesRecord* record = reinterpret_cast<LinesRecord*>(out);
  if (atomicExch(&record->turn, static_cast<unsigned long long>(p.turn)) == p.turn) return;
  double* cycles = reinterpret_cast<double*>(record + 1);
  for (unsigned line = 0; line < p.lines; ++line) {
    unsigned long long at =
        reinterpret_cast<unsigned long long>(ring) + permuted(line, p.nodes, p.seed) * p.node_bytes;
    at = walk(at, 16);
    if (at == 1) record->sm = 1;
    const unsigned long long c0 = cycles_now();
    at = walk(at, 32);
    if (at == 1) record->sm = 2;
    const unsigned long long c1 = cycles_now();
    at = walk(at, 96);
    if (at == 1) record->sm = 3;
    const unsigned long long c2 = cycles_now();
    cycles[line] = static_cast<double>(static_cast<long long>((c2 - c1) - (c1 - c0))) / 64.0;
  }
  record->sm = this_sm();
}
#endif
