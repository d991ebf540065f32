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

// All SMs store the nodes; stored again, copies in other parts of L2 are gone.
extern "C" __global__ void ring_build(const float*, const float*, float* ring, RingParams p) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < p.nodes; i += step) {
    *reinterpret_cast<unsigned long long*>(node_address(ring, p, i)) = node_address(ring, p, i + 1);
  }
}

// Touches the nodes in the order of the chase, many at a time: by one block of SM `sm`, L2 is left as a chase
// of that SM that came round would leave it; by all blocks (`sm` -1) of another buffer, it is emptied of the
// ring.
extern "C" __global__ void ring_walk(const float* ring, const float*, float* out, WalkParams p) {
  __shared__ bool mine;
  const bool all = p.sm < 0;
  if (threadIdx.x == 0) {
    mine = all || (this_sm() == p.sm && atomicExch(reinterpret_cast<unsigned*>(out), p.turn) != p.turn);
  }
  __syncthreads();
  if (!mine) return;
  const unsigned long long step = blockDim.x * static_cast<unsigned long long>(all ? gridDim.x : 1);
  unsigned long long seen = 0;
  for (unsigned pass = 0; pass < p.passes; ++pass) {
    for (unsigned long long i =
             threadIdx.x + static_cast<unsigned long long>(all ? blockIdx.x : 0) * blockDim.x;
         i < p.ring.nodes; i += step) {
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
