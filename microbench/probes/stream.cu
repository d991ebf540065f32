// Streams through memory with a known number of bytes in flight: each thread keeps IN_FLIGHT independent
// accesses of WIDTH bytes outstanding, for a fixed time, so that no SM waits for a slower one at the end.
// MODE 0: loads from `source`, 1: stores to `target`, 2: loads, of which each WRITE_EVERY-th is stored, to
// WRITE_COPIES places. CACHE 0: through L1 (.ca), 1: past it (.cg). The inner loop holds (SASS of sm_90)
// IN_FLIGHT loads and as many stores, for two copies twice as many; when reading, the stores are never
// executed.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

#if WIDTH == 4
#  define TYPE "u32"
#elif WIDTH == 8
#  define TYPE "v2.u32"
#else
#  define TYPE "v4.u32"
#endif
#if CACHE == 0
#  define LOAD "ld.global.ca." TYPE
#else
#  define LOAD "ld.global.cg." TYPE
#endif
#define STORE "st.global.cg." TYPE

struct Access {
  unsigned word[WIDTH / 4];
};

__device__ inline Access load(const char* p) {
  Access v;
#if WIDTH == 4
  asm volatile(LOAD " %0, [%1];" : "=r"(v.word[0]) : "l"(p) : "memory");
#elif WIDTH == 8
  asm volatile(LOAD " {%0, %1}, [%2];" : "=r"(v.word[0]), "=r"(v.word[1]) : "l"(p) : "memory");
#else
  asm volatile(LOAD " {%0, %1, %2, %3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "l"(p)
               : "memory");
#endif
  return v;
}

// Stores only if `really`, but waits for the access in any case; and as a store it may not change places with
// the load that follows, so that each slot's next load goes out right behind the arrival of the one before.
__device__ inline void store_if(bool really, char* p, const Access& v) {
  const unsigned go = really;
#if WIDTH == 4
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %0, 0; @q " STORE " [%1], %2; }" ::"r"(go), "l"(p),
               "r"(v.word[0])
               : "memory");
#elif WIDTH == 8
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %0, 0; @q " STORE " [%1], {%2, %3}; }" ::"r"(go), "l"(p),
               "r"(v.word[0]), "r"(v.word[1])
               : "memory");
#else
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %0, 0; @q " STORE " [%1], {%2, %3, %4, %5}; }" ::"r"(go),
               "l"(p), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
               : "memory");
#endif
}

// A warp has six scoreboards: more loads than that share them, in groups that are waited for together.
[[maybe_unused]] constexpr int groups = IN_FLIGHT < 4 ? IN_FLIGHT : 4;
[[maybe_unused]] constexpr int group_size = IN_FLIGHT / groups;
constexpr int batches_per_check = 8;
constexpr unsigned vector_bytes = 16, warp_access = 32 * WIDTH;

extern "C" __global__ void stream(const float* a, const float* b, float* c, StreamParams p) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  WarpRecord* record =
      reinterpret_cast<WarpRecord*>(c) + static_cast<unsigned long long>(blockIdx.x) * warps + warp;
  const unsigned sm = this_sm();
  if (sm >= p.active_sms) {
    if (lane == 0) *record = WarpRecord{sm, 0, 0, 0, 0, 0};
    return;
  }
  const unsigned who = p.by_sm ? sm : blockIdx.x;
  const unsigned long long part = who * p.region * vector_bytes + lane * WIDTH;
  [[maybe_unused]] const char* source = reinterpret_cast<const char*>(a) + part;
  [[maybe_unused]] char* target = reinterpret_cast<char*>(const_cast<float*>(b)) + part;
  // From here on in bytes.
  const unsigned long long around = p.vectors * vector_bytes;
  unsigned long long stride = p.stride * vector_bytes;
  if (p.scatter) stride *= coprime_step(who, p.vectors / p.stride);
  unsigned long long at = (p.start + who * p.block_step + warp * p.batch) * vector_bytes % around;
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
  unsigned long long batches = 0;
#if MODE == 1
  Access value;
  for (unsigned w = 0; w < WIDTH / 4; ++w)
    value.word[w] = mixed(threadIdx.x * 4 + blockIdx.x * 4099 + w + 1);
#else
  Access flying[IN_FLIGHT];
#  pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u)
    flying[u] = load(source + at + u * warp_access);
#endif
  do {
#pragma unroll 1
    for (int i = 0; i < batches_per_check; ++i) {
      [[maybe_unused]] const unsigned long long landed = at;
      at += stride;
      if (at >= around) at -= around;
#if MODE == 1
#  pragma unroll
      for (int u = 0; u < IN_FLIGHT; ++u)
        store_if(true, target + landed + u * warp_access, value);
      if (p.fenced) __threadfence();
      value.word[0] = value.word[0] * 0x9e3779b9U + 1;
#else
#  pragma unroll
      for (int g = 0; g < IN_FLIGHT; g += group_size) {
#  pragma unroll
        for (int u = g; u < g + group_size; ++u) {
#  if MODE == 0
          store_if(p.never != 0, target + landed + u * warp_access, flying[u]);
#  else
          // The stored accesses lie close together, however few they are.
          char* place = target + landed / WRITE_EVERY + u / WRITE_EVERY * warp_access;
          store_if(u % WRITE_EVERY == 0 || p.never != 0, place, flying[u]);
#    if WRITE_COPIES == 2
          store_if(true, place + around, flying[u]);
#    endif
#  endif
        }
#  pragma unroll
        for (int u = g; u < g + group_size; ++u)
          flying[u] = load(source + at + u * warp_access);
      }
#endif
    }
    batches += batches_per_check;
  } while (cycles_now() - start_cycle < p.cycles);
#if MODE != 1
#  pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u)
    store_if(p.never != 0, target + at + u * warp_access, flying[u]);
#endif
  // The accesses still in flight are not counted.
  const unsigned long long end_cycle = cycles_now();
  const unsigned long long end_ns = nanoseconds_now();
  if (lane == 0) *record = WarpRecord{sm, start_cycle, end_cycle, start_ns, end_ns, batches};
}
