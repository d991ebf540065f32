// What a launch costs by itself: kernels that do nothing, that read their parameters, that store a word.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"

using namespace tilecast;

extern "C" __global__ void nothing(const float*, const float*, float*, LoopParams) {}

// Every kernel reads its parameters: the first read of a launch misses the constant cache.
extern "C" __global__ void reads_parameters(const float*, const float*, float* c, LoopParams p) {
  if (p.iterations == p.never) c[0] = 1;
}

// One store a thread: what is left to do when the last instruction has been issued.
extern "C" __global__ void stores(const float*, const float*, float* c, LoopParams p) {
  if (p.iterations != p.never) c[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// Each block stays for so many cycles.
extern "C" __global__ void stays(const float*, const float*, float* c, LoopParams p) {
  const unsigned long long start = cycles_now();
  while (cycles_now() - start < p.iterations) {
  }
  if (p.iterations == p.never) c[0] = 1;
}

#ifndef LOADS
#  define LOADS 0
#endif
// LOADS loads, each from the address that the one before found, which begins with the block's own.
extern "C" __global__ void dependent_loads(const float* a, const float*, float* c, LoopParams p) {
  unsigned long long at = reinterpret_cast<unsigned long long>(a) + blockIdx.x * 128ULL;
#pragma unroll
  for (int k = 0; k < LOADS; ++k)
    asm volatile("ld.global.u64 %0, [%0];" : "+l"(at)::"memory");
  if (at == p.never) c[0] = 1;
}

#if __CUDA_ARCH__ >= 900
// Lets the next launch begin at once, then waits for the one before, as a kernel with a prologue would.
extern "C" __global__ void depends(const float*, const float*, float* c, LoopParams p) {
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (p.iterations == p.never) c[0] = 1;
}
#endif
