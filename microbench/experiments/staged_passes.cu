// What a pass costs in which a block's warps hand each other sums through shared memory, and its parts: of W
// warps on an otherwise idle SM, cycles a round of two barriers, with 16-byte stores to shared memory behind
// the first, and eight 4-byte loads, and eight stores to global memory of what they found, behind the second.
// CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o staged_passes staged_passes.cu && ./staged_passes
#include <cstdio>
#include <vector>

#include "experiment.hpp"

template <int writes, int reads, int stores>
__global__ void passes(float* out, long long* cycles, int rounds, int stride) {
  __shared__ float4 stage[2 * 8 * 32];
  const int thread = threadIdx.x, threads = blockDim.x;
  float4 value = make_float4(thread, 1, 2, 3);
  float sum = 0;
  float* to = out + thread;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < writes; ++i) {
      asm volatile(
          "st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(&stage[writes * thread + i])),
          "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
          : "memory");
    }
    __syncthreads();
    const float* const from = reinterpret_cast<const float*>(stage);
#pragma unroll
    for (int i = 0; i < reads; ++i) {
      float found;
      asm volatile("ld.shared.f32 %0, [%1];"
                   : "=f"(found)
                   : "r"(shared_address(from + thread + i * threads))
                   : "memory");
      if (i < stores)
        to[i * stride] = found;
      else
        sum += found;
    }
    to += 8 * stride;
  }
  const long long end = clock64();
  if (thread == 0) *cycles = end - begin;
  out[thread] = sum;
}

template <int writes, int reads, int stores>
void measure(float* out, long long* cycles) {
  for (const int warps : {1, 2, 3, 4, 8}) {
    const auto time = [&](int rounds) {
      std::vector<long long> all;
      for (int i = 0; i < 9; ++i) {
        passes<writes, reads, stores><<<1, 32 * warps>>>(out, cycles, rounds, 1024);
        all.push_back(to_host(cycles, 1)[0]);
      }
      return static_cast<double>(median(all));
    };
    std::printf("%d,%d,%d,%d,%.2f\n", writes, reads, stores, warps, (time(40) - time(8)) / 32);
  }
}

int main() {
  auto* const out = device_room<float>(1 << 24);
  auto* const cycles = device_room<long long>(64);
  std::printf("writes,reads,stores,warps,cycles_a_round\n");
  measure<0, 0, 0>(out, cycles);
  measure<1, 0, 0>(out, cycles);
  measure<2, 0, 0>(out, cycles);
  measure<0, 8, 0>(out, cycles);
  measure<0, 8, 8>(out, cycles);
  measure<2, 8, 0>(out, cycles);
  measure<2, 1, 1>(out, cycles);
  measure<2, 8, 8>(out, cycles);
  return 0;
}
