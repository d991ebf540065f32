// When the source registers of a memory instruction have been read, while warps of other schedulers keep the
// SM's memory pipe busy: a warp stores to shared memory `ahead` times (before copies: copies that often),
// then does what `what` says, and then overwrites the registers of its address, which waits for the read
// barrier that all these instructions share (see the SASS; the clock is read behind it). Cycles from before
// the first instruction until then, mean of six times. `busy`: so many loads of each of three other
// schedulers, all lanes in one bank, from 60 cycles before.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o sources_read sources_read.cu && ./sources_read
#include <cstdio>

#include "experiment.hpp"

enum What { lds4, sts4, stg16, cp16, cp16_past_l1 };
constexpr const char* names[] = {"lds4", "sts4", "stg16", "cp16", "cp16_past_l1"};
constexpr int warps = 4, times = 6, first_times = 2;

// `step` is not known to the compiler: else it would add it to what it keeps in other registers.
template <int what>
__device__ __forceinline__ void access(unsigned& shared, unsigned long long& global, unsigned step) {
  float a;
  const float v = 1;
  if constexpr (what == lds4)
    asm volatile("ld.volatile.shared.f32 %0, [%1];\nadd.u32 %1, %1, %2;" : "=f"(a), "+r"(shared) : "r"(step));
  if constexpr (what == sts4)
    asm volatile("st.volatile.shared.f32 [%0], %1;\nadd.u32 %0, %0, %2;" : "+r"(shared) : "f"(v), "r"(step));
  if constexpr (what == stg16)
    asm volatile("st.volatile.global.v4.f32 [%0], {%1, %1, %1, %1};\nadd.u64 %0, %0, %2;"
                 : "+l"(global)
                 : "f"(v), "l"(static_cast<unsigned long long>(step)));
  if constexpr (what == cp16)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;\nadd.u32 %0, %0, %2;\nadd.u64 %1, %1, %3;"
                 : "+r"(shared), "+l"(global)
                 : "r"(step), "l"(static_cast<unsigned long long>(step)));
  if constexpr (what == cp16_past_l1)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\nadd.u32 %0, %0, %2;\nadd.u64 %1, %1, %3;"
                 : "+r"(shared), "+l"(global)
                 : "r"(step), "l"(static_cast<unsigned long long>(step)));
  // Whoever reads the clock next waits for these.
  asm volatile(
      "{\n.reg .pred p;\nsetp.eq.u32 p, %0, 77;\n@p trap;\nsetp.eq.u64 p, %1, 77;\n@p trap;\n}" ::"r"(shared),
      "l"(global));
}

template <int what, int ahead>
__global__ void __launch_bounds__(32 * warps, 1)
    read(float* data, unsigned* cycles, int busy, unsigned step) {
  __shared__ __align__(16) float words[8192];
  for (int i = threadIdx.x; i < 8192; i += 32 * warps)
    words[i] = 0;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned shared = shared_address(words) + lane * 16;
  const unsigned one_bank = shared_address(words) + lane * 128;
  auto global = reinterpret_cast<unsigned long long>(data + lane * 4);
  unsigned sum = 0;
#pragma unroll 1
  for (int r = 0; r < first_times + times; ++r) {
    __syncthreads();
    if (warp > 0) {
      for (int i = 0; i < busy; ++i) {
        float x;
        asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x) : "r"(one_bank));
        sum += x == 3;
      }
    } else {
      const unsigned start = now();
      while (now() - start < 60) {
      }
      const unsigned begin = now();
      const unsigned to = shared;
      const unsigned long long from = global;
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        if constexpr (what == cp16 || what == cp16_past_l1)
          asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + 16 * k), "l"(from + 512 * k));
        else
          asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(to + 16 * k), "f"(1.0f));
      }
      access<what>(shared, global, step);
      const unsigned end = now();
      if (r >= first_times) sum += end - begin;
    }
    asm volatile("cp.async.wait_all;");
  }
  if (threadIdx.x == 0) *cycles = sum;
}

template <int what, int ahead>
void measure(float* data, unsigned* cycles) {
  for (const int busy : {0, 4, 16, 64}) {
    for (int i = 0; i < 2; ++i)  // the first one brings the code
      read<what, ahead><<<1, 32 * warps>>>(data, cycles, busy, 16);
    std::printf("%s,%d,%d,%.1f\n", names[what], ahead, busy,
                static_cast<double>(to_host(cycles, 1)[0]) / times);
  }
}
template <int what, int... ahead>
void measure_each(float* data, unsigned* cycles) {
  (measure<what, ahead>(data, cycles), ...);
}

int main() {
  float* const data = device_room<float>(1 << 20, 0);
  unsigned* const cycles = device_room<unsigned>(64);
  std::printf("what,ahead,busy,cycles\n");
  measure_each<lds4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12>(data, cycles);
  measure_each<sts4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12>(data, cycles);
  measure_each<stg16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12>(data, cycles);
  measure_each<cp16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12>(data, cycles);
  measure_each<cp16_past_l1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12>(data, cycles);
}
