// Streams through memory past L1 with a known number of bytes in flight: each thread keeps IN_FLIGHT
// independent 16-byte accesses outstanding, for a fixed time, so that no SM waits for a slower one at the
// end. MODE 0: loads from `source`, 1: stores to `target`, 2: loads stored again.
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

__device__ inline void store(Vector* p, Vector v) {
  asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

// A warp has six scoreboards: more loads than that share them, in groups that are waited for together.
[[maybe_unused]] constexpr int groups = IN_FLIGHT < 4 ? IN_FLIGHT : 4;
[[maybe_unused]] constexpr int group_size = IN_FLIGHT / groups;
constexpr int batches_per_check = 8;

// Stores only if `really`, but waits for the vector in any case; and as a store it may not change places with
// the load that follows, so that each slot's next load goes out right behind the arrival of the one before.
__device__ inline void store_if(bool really, Vector* p, Vector v) {
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %0, 0; @q st.global.cg.v4.u32 [%1], {%2, %3, %4, %5}; }" ::"r"(
                   static_cast<unsigned>(really)),
               "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

extern "C" __global__ void stream(const float* a, const float* b, float* c, StreamParams p) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  WarpRecord* record =
      reinterpret_cast<WarpRecord*>(c) + static_cast<unsigned long long>(blockIdx.x) * warps + warp;
  const unsigned sm = this_sm();
  if (sm >= p.active_sms) {
    if (lane == 0) *record = WarpRecord{sm, 0, 0, 0, 0, 0};
    return;
  }
  [[maybe_unused]] const Vector* source = reinterpret_cast<const Vector*>(a) + lane;
  [[maybe_unused]] Vector* target = reinterpret_cast<Vector*>(const_cast<float*>(b)) + lane;
  unsigned long long at = (p.start + blockIdx.x * p.block_step + warp * (32ULL * IN_FLIGHT)) % p.vectors;
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
  unsigned long long batches = 0;
#if MODE == 1
  Vector value = {mixed(threadIdx.x + 1), mixed(blockIdx.x + 2), mixed(sm + 3), mixed(warp + 4)};
#else
  Vector flying[IN_FLIGHT];
#  pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u)
    flying[u] = load(source + at + u * 32);
#endif
  do {
#pragma unroll 1
    for (int i = 0; i < batches_per_check; ++i) {
      [[maybe_unused]] const unsigned long long landed = at;
      at += p.stride;
      if (at >= p.vectors) at -= p.vectors;
#if MODE == 1
#  pragma unroll
      for (int u = 0; u < IN_FLIGHT; ++u)
        store(target + landed + u * 32, value);
      if (p.fenced) __threadfence();
      value.x = value.x * 0x9e3779b9U + 1;
#else
#  pragma unroll
      for (int g = 0; g < IN_FLIGHT; g += group_size) {
#  pragma unroll
        for (int u = g; u < g + group_size; ++u) {
          store_if(MODE == 2 || p.never != 0, target + landed + u * 32, flying[u]);
        }
#  pragma unroll
        for (int u = g; u < g + group_size; ++u)
          flying[u] = load(source + at + u * 32);
      }
#endif
    }
    batches += batches_per_check;
  } while (cycles_now() - start_cycle < p.cycles);
#if MODE != 1
#  pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u)
    store_if(p.never != 0, target + at + u * 32, flying[u]);
#endif
  // The accesses still in flight are not counted.
  const unsigned long long end_cycle = cycles_now();
  const unsigned long long end_ns = nanoseconds_now();
  if (lane == 0) *record = WarpRecord{sm, start_cycle, end_cycle, start_ns, end_ns, batches};
}
