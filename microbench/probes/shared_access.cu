// Shared memory by width and pattern: each lane at a byte offset that the host gives (a[lane]), WIDTH bytes.
// Volatile, since the compiler loads one address only once and leaves out words that nobody wants.
// SCHEDULERS of an SM's four have work: warp w is on scheduler w mod 4 (Jia et al. 2018, arXiv:1804.06826);
// the warps of the others leave at once. sm_90 code: the loop is 32 LDS or STS of that width, what folds the
// loaded words (shared_load only: LOP3), IADD3, ISETP, BRA; shared_latency: BODY dependent LDS, IADD3, ISETP,
// BRA.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

#ifndef SCHEDULERS
#  define SCHEDULERS 4
#endif

__device__ inline bool has_work() {
  return threadIdx.x / 32 % 4 < SCHEDULERS;
}

template <int Width>
__device__ inline void load(unsigned (&to)[4], unsigned at) {
  if (Width == 4) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(to[0]) : "r"(at) : "memory");
  if (Width == 8)
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(at) : "memory");
  if (Width == 16) {
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
  }
}

template <int Width>
__device__ inline void store(const unsigned (&from)[4], unsigned at) {
  if (Width == 4) asm volatile("st.volatile.shared.u32 [%1], %0;" ::"r"(from[0]), "r"(at) : "memory");
  if (Width == 8)
    asm volatile("st.volatile.shared.v2.u32 [%2], {%0, %1};" ::"r"(from[0]), "r"(from[1]), "r"(at)
                 : "memory");
  if (Width == 16) {
    asm volatile("st.volatile.shared.v4.u32 [%4], {%0, %1, %2, %3};" ::"r"(from[0]), "r"(from[1]),
                 "r"(from[2]), "r"(from[3]), "r"(at)
                 : "memory");
  }
}

// 31 lanes x 33 vectors of 16 bytes and four times 128 bytes on top.
constexpr unsigned tile_words = 5120;

__device__ inline unsigned filled_tile(unsigned* tile) {
  for (unsigned i = threadIdx.x; i < tile_words; i += blockDim.x)
    tile[i] = mixed(i) | 1U;
  return static_cast<unsigned>(__cvta_generic_to_shared(tile));
}

extern "C" __global__ void shared_load(const float* a, const float*, float* c, LoopParams p) {
  __shared__ __align__(16) unsigned tile[tile_words];
  const unsigned at = filled_tile(tile) + reinterpret_cast<const unsigned*>(a)[threadIdx.x % 32];
  const unsigned sm = this_sm();
  unsigned seen = 0;
  __syncthreads();
  if (!has_work()) return;
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (unsigned k = 0; k < 32; ++k) {
      unsigned v[4] = {};
      load<WIDTH>(v, at + k % 4 * 128);
      seen ^= v[0] ^ v[1] ^ v[2] ^ v[3];
    }
  }
  if (seen == p.never) c[0] = 1;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}

extern "C" __global__ void shared_store(const float* a, const float*, float* c, LoopParams p) {
  __shared__ __align__(16) unsigned tile[tile_words];
  const unsigned at = filled_tile(tile) + reinterpret_cast<const unsigned*>(a)[threadIdx.x % 32];
  const unsigned v[4] = {mixed(threadIdx.x), mixed(threadIdx.x + 1), mixed(threadIdx.x + 2),
                         mixed(threadIdx.x + 3)};
  const unsigned sm = this_sm();
  __syncthreads();
  if (!has_work()) return;
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (unsigned k = 0; k < 32; ++k)
      store<WIDTH>(v, at + k % 4 * 128);
  }
  if (tile[threadIdx.x] == p.never) c[0] = 1;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}

// Every lane's chain goes round in a vector of WIDTH bytes: each word holds its own vector's address.
extern "C" __global__ void shared_latency(const float* a, const float*, float* c, LoopParams p) {
  __shared__ __align__(16) unsigned tile[tile_words];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  for (unsigned i = threadIdx.x; i < tile_words; i += blockDim.x)
    tile[i] = base + i * 4 / WIDTH * WIDTH;
  unsigned v[4] = {base + reinterpret_cast<const unsigned*>(a)[threadIdx.x % 32]};
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (unsigned k = 0; k < BODY; ++k)
      load<WIDTH>(v, v[0]);
  }
  if ((v[0] ^ v[1] ^ v[2] ^ v[3]) == p.never) c[0] = 1;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
