// Distributed shared memory: one thread chases pointers in the shared memory of another block of its cluster,
// by generic 64-bit addresses, so that the window holds loads and nothing else: a 32-bit address in the
// cluster's window takes two moves before each load (read in sm_90 code). Compute capability 9.0 and above.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

#ifndef BODY
#  define BODY 8
#endif
#ifndef RELAXED
#  define RELAXED 0
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ inline void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void cluster_chase(const float*, const float*, float* c, ClusterParams p) {
  constexpr unsigned nodes = 1024;
  __shared__ unsigned long long ring[nodes];
  unsigned rank, size;
  unsigned long long base;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  // The owner's ring as every block of the cluster addresses it.
  asm volatile("mapa.u64 %0, %1, %2;"
               : "=l"(base)
               : "l"(reinterpret_cast<unsigned long long>(ring)), "r"(p.owner));
  if (rank == p.owner) {
    for (unsigned i = threadIdx.x; i < nodes; i += blockDim.x)
      ring[permuted(i, nodes, 1)] = base + sizeof(ring[0]) * permuted((i + 1) % nodes, nodes, 1);
  }
  ClusterRecord* record = reinterpret_cast<ClusterRecord*>(c);
  const bool works = blockIdx.x / size == p.cluster;
  if (works && rank == p.owner && threadIdx.x == 0) record->owner_sm = this_sm();
  cluster_barrier();
  if (works && rank == p.reader && threadIdx.x == 0) {
    unsigned long long at = base;
    unsigned long long window[2];
    const unsigned steps[2] = {p.short_steps, p.long_steps};
#  pragma unroll
    for (int w = 0; w < 2; ++w) {
      if (at == 1) record->at = 1;
      const unsigned long long begin = cycles_now();
#  pragma unroll 1
      for (unsigned i = 0; i < steps[w]; i += 16) {
#  pragma unroll
        for (int k = 0; k < 16; ++k)
          asm volatile("ld.u64 %0, [%0];" : "+l"(at)::"memory");
      }
      if (at == 1) record->at = 2;
      window[w] = cycles_now() - begin;
    }
    record->short_cycles = window[0];
    record->long_cycles = window[1];
    record->reader_sm = this_sm();
    record->at = at;
  }
  cluster_barrier();  // the owner's shared memory stays until the reader is done
}

// BODY barriers of the cluster in a row: of the kind that orders memory, or one that only meets (RELAXED).
extern "C" __global__ void cluster_barriers(const float*, const float*, float* c, LoopParams p) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const unsigned sm = this_sm();
  cluster_barrier();
  const unsigned long long start_cycle = cycles_now();
#  pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#  pragma unroll
    for (int k = 0; k < BODY; ++k) {
#  if RELAXED
      asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
#  else
      asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                       : "memory");
#  endif
    }
  }
  const unsigned long long end_cycle = cycles_now();
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<WarpRecord*>(c)[static_cast<unsigned long long>(blockIdx.x) * warps + warp] =
        WarpRecord{sm, start_cycle, end_cycle, 0, 0, p.iterations};
  }
  cluster_barrier();
}

// Every block reads the shared memory of the next one of its cluster, 16 bytes a lane, lanes side by side,
// four loads in flight a thread. In a cluster of one block that is its own, addressed in the same way.
extern "C" __global__ void cluster_read(const float*, const float*, float* c, LoopParams p) {
  __shared__ uint4 tile[1024];  // 16 KiB
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
    tile[i] = make_uint4(mixed(i) | 1U, mixed(i + 1) | 1U, mixed(i + 2) | 1U, mixed(i + 3) | 1U);
  const unsigned lane = threadIdx.x % 32;
  unsigned rank, size, base;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(base)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile))), "r"((rank + 1) % size));
  const unsigned at = base + lane * 16;
  const unsigned sm = this_sm();
  unsigned seen = 0;
  cluster_barrier();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#  pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#  pragma unroll
    for (unsigned k = 0; k < 32; k += 4) {
      uint4 v[4];
#  pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                     : "r"(at + (k + i) * 512)
                     : "memory");
      }
#  pragma unroll
      for (unsigned i = 0; i < 4; ++i)
        seen ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
    }
  }
  if (seen & 1U) c[0] = 1;  // as many odd words as are XORed are even: never
  leave(c, sm, start_ns, start_cycle, p.iterations);
  cluster_barrier();  // the neighbour's reads come first
}
#endif
