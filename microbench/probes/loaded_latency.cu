// One thread of one SM chases pointers, each load timed, while every other SM streams 16-byte loads past L1:
// IN_FLIGHT of them a thread, and a pause before each batch to throttle it. One block on each SM.
#define CACHE 1
#include "probes/chase.hpp"
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

struct Vector {
  unsigned x, y, z, w;
};

__device__ inline Vector load(const Vector* p) {
  Vector v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p)
               : "memory");
  return v;
}

// Waits for the vector; stores it only if `really`.
__device__ inline void use(bool really, Vector* p, Vector v) {
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %0, 0; @q st.global.cg.v4.u32 [%1], {%2, %3, %4, %5}; }" ::"r"(
                   static_cast<unsigned>(really)),
               "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

__device__ inline void wait_cycles(unsigned cycles) {
  const unsigned begin = clock_behind_load();
  while (clock_behind_load() - begin < cycles) {
  }
}

__device__ void chase_beside_streams(const float* ring, LoadedRecord* record, unsigned* stamps,
                                     const LoadedParams& p) {
  const unsigned long long begin = cycles_now();
  unsigned long long at = reinterpret_cast<unsigned long long>(ring) + p.start;
  while (cycles_now() - begin < p.lead)
    at = next_node(at);  // not timed: warms the TLB
  const unsigned long long start_ns = nanoseconds_now(), start_cycle = cycles_now();
  unsigned steps = 0;
#pragma unroll 1
  while (steps < most_timed_steps && cycles_now() - begin + p.lead < p.cycles) {
    at = timed_steps(at, stamps + steps);
    steps += 8;
  }
  at = next_node(at);
  stamps[steps] = clock_behind_load();
  const unsigned long long end_cycle = cycles_now(), end_ns = nanoseconds_now();
  unsigned* readings = reinterpret_cast<unsigned*>(record + 1);
  for (unsigned i = 0; i <= steps; ++i)
    readings[i] = stamps[i];
  *record = LoadedRecord{this_sm(), at, start_ns, end_ns, start_cycle, end_cycle, steps};
}

// `out`: one WarpRecord a warp of the grid, then the chase's LoadedRecord.
extern "C" __global__ void loaded_latency(const float* ring, const float* data, float* out, LoadedParams p) {
  __shared__ unsigned stamps[most_timed_steps + 1];
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  WarpRecord* records = reinterpret_cast<WarpRecord*>(out);
  WarpRecord* record = records + static_cast<unsigned long long>(blockIdx.x) * warps + warp;
  const unsigned sm = this_sm();
  if (sm == p.chase_sm || p.streams == 0) {
    if (lane == 0) *record = WarpRecord{sm, 0, 0, 0, 0, 0};
    if (sm == p.chase_sm && threadIdx.x == 0) {
      chase_beside_streams(
          ring, reinterpret_cast<LoadedRecord*>(records + static_cast<unsigned long long>(gridDim.x) * warps),
          stamps, p);
    }
    return;
  }
  const LoadedWalk& walk = p.walk;
  Vector* source = reinterpret_cast<Vector*>(const_cast<float*>(data)) + blockIdx.x * walk.part_step + lane;
  unsigned long long at =
      (walk.first + blockIdx.x * walk.block_step + warp * (32ULL * IN_FLIGHT)) % walk.vectors;
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
  if (p.pause > 0) wait_cycles(mixed(blockIdx.x * warps + warp + 1) % p.pause);  // lest all ask at once
  Vector flying[IN_FLIGHT];
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u)
    flying[u] = load(source + at + u * 32);
  unsigned long long batches = 0;
  do {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      const unsigned long long landed = at;
      at += walk.stride;
      if (at >= walk.vectors) at -= walk.vectors;
      if (p.pause > 0) wait_cycles(p.pause);
#pragma unroll
      for (int u = 0; u < IN_FLIGHT; ++u) {
        use(p.never != 0, source + landed + u * 32, flying[u]);
        flying[u] = load(source + at + u * 32);
      }
    }
    batches += 4;
  } while (cycles_now() - start_cycle < p.cycles);
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u)
    use(p.never != 0, source + at + u * 32, flying[u]);
  const unsigned long long end_cycle = cycles_now();
  const unsigned long long end_ns = nanoseconds_now();
  if (lane == 0) *record = WarpRecord{sm, start_cycle, end_cycle, start_ns, end_ns, batches};
}
