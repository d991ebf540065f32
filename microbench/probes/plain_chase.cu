// Pointer chase without a clock in it, for the host to time. Not the code of latency.cu: a mistake there is
// not repeated here.
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

__device__ inline unsigned long long node(const float* ring, const PlainChaseParams& p,
                                          unsigned long long position) {
  return reinterpret_cast<unsigned long long>(ring) +
         permuted(position % p.nodes, p.nodes, p.seed) * p.node_bytes;
}

extern "C" __global__ void plain_ring(const float*, const float*, float* ring, PlainChaseParams p) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < p.nodes; i += step)
    *reinterpret_cast<unsigned long long*>(node(ring, p, i)) = node(ring, p, i + 1);
}

extern "C" __global__ void plain_chase(const float* ring, const float*, float* out, PlainChaseParams p) {
  unsigned long long at = node(ring, p, p.start);
#pragma unroll 1
  for (unsigned i = 0; i < p.steps; i += 16) {
#pragma unroll
    for (int k = 0; k < 16; ++k)
      asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
  }
  *reinterpret_cast<unsigned long long*>(out) = at;
}
