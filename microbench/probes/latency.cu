// Pointer chase: each node holds the address of the next, so the window holds loads and nothing else.
// CACHE 0: through L1 (.ca), 1: past it (.cg).
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

__device__ inline unsigned long long node_address(const float* ring, const RingParams& p,
                                                  unsigned long long position) {
  return reinterpret_cast<unsigned long long>(ring) + node_offset(position, p.nodes, p.node_bytes, p.seed);
}

// Whether this block works: any (`sm` -1), or the first on that SM to claim this turn.
__device__ inline bool chosen(const WalkParams& p, float* claim) {
  __shared__ bool mine;
  if (threadIdx.x == 0) {
    mine =
        p.sm < 0 || (this_sm() == p.sm && atomicExch(reinterpret_cast<unsigned*>(claim), p.turn) != p.turn);
  }
  __syncthreads();
  return mine;
}

// Of all threads at work: the first position of this one, and how far apart its positions are.
__device__ inline unsigned long long first_position(const WalkParams& p) {
  return threadIdx.x + static_cast<unsigned long long>(p.sm < 0 ? blockIdx.x : 0) * blockDim.x;
}
__device__ inline unsigned long long position_step(const WalkParams& p) {
  return static_cast<unsigned long long>(p.sm < 0 ? gridDim.x : 1) * blockDim.x;
}

// Stores the nodes. Where L2 has several parts, a line stored again stays with its owner and with the part of
// the SM that stored it; other copies are gone.
extern "C" __global__ void ring_build(const float* ring, const float*, float* out, WalkParams p) {
  if (!chosen(p, out)) return;
  for (unsigned long long i = first_position(p); i < p.ring.nodes; i += position_step(p)) {
    *reinterpret_cast<unsigned long long*>(node_address(ring, p.ring, i)) = node_address(ring, p.ring, i + 1);
  }
}

// Touches the nodes in the order of the chase, many at a time: by one block of SM `sm`, L2 is left as a chase
// of that SM that came round would leave it; by all blocks (`sm` -1) of another buffer, it is emptied of the
// ring.
extern "C" __global__ void ring_walk(const float* ring, const float*, float* out, WalkParams p) {
  if (!chosen(p, out)) return;
  unsigned long long seen = 0;
  for (unsigned pass = 0; pass < p.passes; ++pass) {
    for (unsigned long long i = first_position(p); i < p.ring.nodes; i += position_step(p)) {
      unsigned long long value;
      asm volatile("ld.global.cg.u64 %0, [%1];"
                   : "=l"(value)
                   : "l"(node_address(ring, p.ring, i))
                   : "memory");
      seen |= value;
    }
  }
  if (seen == 1) out[2] = 1;  // a node never holds 1
}

#ifdef CACHE
#  include "probes/chase.hpp"

extern "C" __global__ void chase(const float* ring, const float*, float* out, ChaseParams p) {
  if (this_sm() != p.sm) return;
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

extern "C" __global__ void timed_chase(const float* ring, const float*, float* out, TimedParams p) {
  __shared__ unsigned stamps[most_timed_steps + 1];
  if (this_sm() != p.sm) return;
  TimedRecord* record = reinterpret_cast<TimedRecord*>(out);
  if (atomicExch(&record->turn, static_cast<unsigned long long>(p.turn)) == p.turn) return;
  unsigned long long at = reinterpret_cast<unsigned long long>(ring) + p.start;
#  pragma unroll 1
  for (unsigned i = 0; i < p.steps; i += 8)
    at = timed_steps(at, stamps + i);
  at = next_node(at);
  stamps[p.steps] = clock_behind_load();
  unsigned* readings = reinterpret_cast<unsigned*>(record + 1);
  for (unsigned i = 0; i <= p.steps; ++i)
    readings[i] = stamps[i];
  record->sm = this_sm();
  record->at = at;
}
#endif
