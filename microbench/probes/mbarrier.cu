// Arrival at and wait for a barrier object in shared memory, by all threads of the block.
// sm_90 code: the loop is the arrival (SYNCS.ARRIVE), the wait's own loop (SYNCS.PHASECHK.TRANS64 and a
// branch), IADD3, ISETP, BRA.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"

using namespace tilecast;

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void mbarrier_rounds(const float*, const float*, float* c, LoopParams p) {
  __shared__ unsigned long long barrier;
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const unsigned on = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(on), "r"(blockDim.x) : "memory");
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_cycle = cycles_now();
#  pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
    unsigned long long phase;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(phase) : "r"(on) : "memory");
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{.reg .pred ready; mbarrier.test_wait.shared.b64 ready, [%1], %2; selp.u32 %0, 1, 0, ready;}"
          : "=r"(done)
          : "r"(on), "l"(phase)
          : "memory");
    }
  }
  const unsigned long long end_cycle = cycles_now();
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<WarpRecord*>(c)[static_cast<unsigned long long>(blockIdx.x) * warps + warp] =
        WarpRecord{sm, start_cycle, end_cycle, 0, 0, p.iterations};
  }
}
#endif
