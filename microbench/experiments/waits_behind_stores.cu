// What a shared load waits for behind stores of its SM. One block whose warps go round: a load of shared
// memory, `ffmas` multiply-adds that wait for it, `stores` stores of `bytes` a lane, a warp's next to each
// other and to the next warp's. Of 4 bytes also from 8 bytes behind a sector on (`apart` 8). CSV to standard
// output: cycles a round, the least of three runs.
//   free: nothing else; warps come apart as they do
//   in_step: a barrier before the load
//   staged: a barrier, a store of 16 bytes a lane to shared memory and another barrier before the load
//   nvcc -O3 -std=c++17 -arch=sm_90a -o waits_behind_stores waits_behind_stores.cu && ./waits_behind_stores
#include <cstdio>

#include "experiment.hpp"

enum Kind { free_running, in_step, staged };
constexpr const char* names[] = {"free", "in_step", "staged"};

template <int bytes>
__device__ __forceinline__ void store(char* to, const float* sum) {
  if constexpr (bytes == 16)
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(sum[0]), "f"(sum[1]), "f"(sum[2]),
                 "f"(sum[3])
                 : "memory");
  if constexpr (bytes == 8)
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(sum[0]), "f"(sum[1]) : "memory");
  if constexpr (bytes == 4) asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(sum[0]) : "memory");
}

// cli/simulate_loops.cpp reads the template arguments, and simulates it with so many rounds.
template <int kind, int bytes, int apart, int ffmas, int stores>
__global__ void __launch_bounds__(512, 1) mix(const float* numbers, const float*, float* out, int rounds) {
  __shared__ __align__(16) float words[512 * 4];
  constexpr int sums = 16, width = bytes / 4;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum[sums];
  for (int i = 0; i < sums; ++i)
    sum[i] = numbers[i + 8];
  const float y = numbers[4];
  for (int i = 0; i < 4; ++i)
    words[4 * threadIdx.x + i] = numbers[i];
  const unsigned own = shared_address(words + 4 * threadIdx.x);
  char* const to = reinterpret_cast<char*>(out) + 4096 + apart + bytes * threadIdx.x;
  const int pitch = bytes * static_cast<int>(blockDim.x);
  __syncthreads();
  const unsigned begin = now();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    if constexpr (kind != free_running) __syncthreads();
    if constexpr (kind == staged) {
      asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(own), "f"(sum[0]), "f"(sum[1]),
                   "f"(sum[2]), "f"(sum[3])
                   : "memory");
      __syncthreads();
    }
    float x;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x) : "r"(own) : "memory");
#pragma unroll
    for (int f = 0; f < ffmas; ++f)
      asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum[f % sums]) : "f"(x), "f"(y));
    char* next = to;
#pragma unroll
    for (int s = 0; s < stores; ++s, next += pitch)
      store<bytes>(next, sum + width * s % sums);
  }
  const unsigned end = now();
  float total = 0;
  for (const float s : sum)
    total += s;
  out[512 + threadIdx.x] = total;
  if (lane == 0) {
    reinterpret_cast<unsigned*>(out)[2 * warp] = begin;
    reinterpret_cast<unsigned*>(out)[2 * warp + 1] = end;
  }
}

template <int kind, int bytes, int apart, int ffmas, int stores>
void measure(const float* numbers, float* out) {
  for (int warps = 4; warps <= 16; warps *= 2) {
    const auto cycles = [&](int rounds) {
      return least_of_warps(warps, out, [&] {
        mix<kind, bytes, apart, ffmas, stores><<<1, 32 * warps>>>(numbers, nullptr, out, rounds);
      });
    };
    std::printf("%s,%d,%d,%d,%d,%d,%.3f\n", names[kind], bytes, apart, ffmas, stores, warps,
                (cycles(48) - cycles(16)) / 32.0);
  }
}

template <int kind, int bytes, int apart, int ffmas, int... stores>
void measure_each(const float* numbers, float* out) {
  (measure<kind, bytes, apart, ffmas, stores>(numbers, out), ...);
}
template <int... ffmas>
void measure_free(const float* numbers, float* out) {
  (measure_each<free_running, 16, 0, ffmas, 0, 4>(numbers, out), ...);
}

int main() {
  const float* const numbers = device_room<float>(4096, 0);
  float* const out = device_room<float>(1 << 20);
  std::printf("kind,bytes,apart,ffmas,stores,warps,cycles\n");
  measure_free<16, 64, 128, 192, 256, 320, 400, 640>(numbers, out);
  measure_each<in_step, 16, 0, 256, 0, 1, 2, 4, 6, 8, 12, 16>(numbers, out);
  measure_each<in_step, 8, 0, 256, 2, 4, 6, 8, 12, 16, 24, 32>(numbers, out);
  measure_each<in_step, 4, 0, 256, 2, 4, 8, 12, 16, 24, 32>(numbers, out);
  measure_each<in_step, 4, 8, 256, 2, 4, 8, 12, 16, 24, 32>(numbers, out);
  measure_each<staged, 16, 0, 256, 0, 1, 2, 4, 6, 8, 12, 16>(numbers, out);
  measure_each<staged, 4, 0, 256, 2, 4, 8, 12, 16, 24, 32>(numbers, out);
}
