// Distributed shared memory: one thread chases pointers in the shared memory of another block of its cluster,
// by generic 64-bit addresses, so that the window holds loads and nothing else: a 32-bit address in the
// cluster's window takes two moves before each load (read in sm_90 code). Compute capability 9.0 and above.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

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
#endif
