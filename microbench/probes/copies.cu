// Global memory by width where it is nearest: loads that hit L1, stores that stay in L2, asynchronous copies
// into shared memory. All addresses of a round differ, and rounds alternate between two windows, so that the
// compiler loads nothing only once. sm_90 code: the loop is 32 LDG, STG or LDGSTS of that width, what folds
// the loaded words (LOP3), and at most 6 others; bulk_copy: COPIES UBLKCP, one SYNCS expect-tx and the wait's
// loop.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

#ifndef WIDTH
#  define WIDTH 16
#endif
#ifndef COPIES
#  define COPIES 1
#endif
#ifndef BYTES
#  define BYTES 64
#endif

// Bytes between two accesses of a round, and between the two windows.
constexpr unsigned step = 256, window = 32 * step;

extern "C" __global__ void l1_load(const float* a, const float*, float* c, LoopParams p) {
  const char* at = reinterpret_cast<const char*>(a) + threadIdx.x % 32 * WIDTH;
  const unsigned sm = this_sm();
  unsigned seen = 0;
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
    const char* from = at + n % 2 * window;
#pragma unroll
    for (unsigned k = 0; k < 32; ++k) {
      unsigned v[4] = {};
      if (WIDTH == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[0]) : "l"(from + k * step));
      if (WIDTH == 8)
        asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "l"(from + k * step));
      if (WIDTH == 16) {
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "l"(from + k * step));
      }
      seen ^= v[0] ^ v[1] ^ v[2] ^ v[3];
    }
  }
  if (seen == p.never) c[0] = 1;
  leave(c, sm, start_ns, start_cycle, p.iterations);
}

// Each warp writes a stretch of its own over and over.
extern "C" __global__ void global_store(const float* a, const float*, float* c, LoopParams p) {
  const unsigned long long warp =
      static_cast<unsigned long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  char* at =
      reinterpret_cast<char*>(const_cast<float*>(a)) + warp * (32 * 32 * WIDTH) + threadIdx.x % 32 * WIDTH;
  const unsigned v[4] = {mixed(threadIdx.x), mixed(threadIdx.x + 1), mixed(threadIdx.x + 2),
                         mixed(threadIdx.x + 3)};
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (unsigned k = 0; k < 32; ++k) {
      char* place = at + k * (32 * WIDTH);
      if (WIDTH == 4) asm volatile("st.global.u32 [%1], %0;" ::"r"(v[0]), "l"(place) : "memory");
      if (WIDTH == 8)
        asm volatile("st.global.v2.u32 [%2], {%0, %1};" ::"r"(v[0]), "r"(v[1]), "l"(place) : "memory");
      if (WIDTH == 16) {
        asm volatile("st.global.v4.u32 [%4], {%0, %1, %2, %3};" ::"r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]),
                     "l"(place)
                     : "memory");
      }
    }
  }
  leave(c, sm, start_ns, start_cycle, p.iterations);
}

#if __CUDA_ARCH__ >= 800
// The two windows go to shared memory; each round waits for its own copies.
extern "C" __global__ void async_copy(const float* a, const float*, float* c, LoopParams p) {
  extern __shared__ __align__(128) char target[];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(target)) + threadIdx.x % 32 * WIDTH;
  const char* at = reinterpret_cast<const char*>(a) + threadIdx.x % 32 * WIDTH;
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#  pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
    const char* from = at + n % 2 * window;
#  pragma unroll
    for (unsigned k = 0; k < 32; ++k) {
      // .cg, past L1, exists for 16 bytes only.
      if (WIDTH == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + k * step), "l"(from + k * step)
                     : "memory");
      } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to + k * step), "l"(from + k * step),
                     "n"(WIDTH)
                     : "memory");
      }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
#endif

#if __CUDA_ARCH__ >= 900
// One thread of one warp: COPIES bulk copies of BYTES, then the wait for all of them.
extern "C" __global__ void bulk_copy(const float* a, const float*, float* c, LoopParams p) {
  extern __shared__ __align__(128) char target[];
  __shared__ unsigned long long barrier;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(target));
  const unsigned on = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  const char* from =
      reinterpret_cast<const char*>(a) + static_cast<unsigned long long>(blockIdx.x) * (COPIES * BYTES);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(on) : "memory");
  __syncthreads();
  const unsigned sm = this_sm();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
  if (threadIdx.x == 0) {
#  pragma unroll 1
    for (unsigned n = 0; n < p.iterations; ++n) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(on), "r"(COPIES * BYTES)
                   : "memory");
#  pragma unroll
      for (unsigned k = 0; k < COPIES; ++k) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                to + k * BYTES),
            "l"(from + k * BYTES), "n"(BYTES), "r"(on)
            : "memory");
      }
      unsigned done = 0;
      while (done == 0) {
        asm volatile(
            "{.reg .pred ready; mbarrier.try_wait.parity.shared.b64 ready, [%1], %2; selp.u32 %0, 1, 0, "
            "ready;}"
            : "=r"(done)
            : "r"(on), "r"(n % 2)
            : "memory");
      }
    }
  }
  __syncwarp();
  leave(c, sm, start_ns, start_cycle, p.iterations);
}
#endif
