// How fast the accesses of one warp to shared memory follow each other in the SM's memory pipe, alone and
// beside those of other warps: a block on one SM, each of its warps in a loop of 16 accesses. CSV to standard
// output.
// - access: `ways`: lanes that want other words of one bank; `same`: eight lanes beside each other want one
//   piece
// - wavefronts: that the pipe needs for one
// - ffmas: behind each access, which wait for none
// - burst: behind so many accesses an FFMA that waits for the last one's result; 0: none waits
// - cycles: of the block for one access of each warp (of 48 rounds less 16, the least of three launches)
//
// nvcc -O3 -std=c++17 -arch=sm_90a -o warps_in_pipe warps_in_pipe.cu && ./warps_in_pipe
#include <cstdio>
#include <utility>

#include "experiment.hpp"

enum Access {
  lds32,
  lds32_2_ways,
  lds32_4_ways,
  lds32_8_ways,
  lds64,
  lds128,
  lds128_same,
  sts32,
  sts32_4_ways,
  sts128
};
constexpr const char* names[] = {"lds32",  "lds32_2_ways", "lds32_4_ways", "lds32_8_ways", "lds64",
                                 "lds128", "lds128_same",  "sts32",        "sts32_4_ways", "sts128"};
constexpr int wavefronts[] = {1, 2, 4, 8, 2, 4, 2, 1, 4, 4};
constexpr int accesses = 16, words_shared = 4096;

// All zero but the rounds: the compiler does not know that.
struct Params {
  unsigned rounds, step, mask, number;
};

template <int access>
__device__ __forceinline__ void one(unsigned at, float (&v)[4]) {
  if (access <= lds32_8_ways) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[0]) : "r"(at));
  if (access == lds64)
    asm volatile("ld.volatile.shared.v2.f32 {%0,%1}, [%2];" : "=f"(v[0]), "=f"(v[1]) : "r"(at));
  if (access == lds128 || access == lds128_same)
    asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                 : "r"(at));
  if (access == sts32 || access == sts32_4_ways)
    asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at), "f"(v[0]));
  if (access == sts128)
    asm volatile("st.volatile.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(at), "f"(v[0]), "f"(v[1]), "f"(v[2]),
                 "f"(v[3]));
}

// The last register of an access.
template <int access>
constexpr int last = access == lds128 || access == lds128_same ? 3
                     : access == lds64                         ? 1
                                                               : 0;

// Bytes from the first word of the warp's to the lane's.
template <int access>
__device__ int place(int lane) {
  constexpr int ways = access == lds32_2_ways ? 2 : access == lds32_4_ways || access == sts32_4_ways ? 4 : 8;
  switch (access) {
    case lds32:
    case sts32:
      return lane * 4;
    case lds64:
      return lane * 8;
    case lds128:
    case sts128:
      return lane * 16;
    case lds128_same:
      return lane / 8 * 16;
    default:
      return lane % ways * 128 + lane / ways * 4;
  }
}

template <int access, int ffmas, int burst, int warps>
__global__ void __launch_bounds__(512, 1)
    mix(const float* numbers, const float*, float* out, const Params p) {
  __shared__ __align__(16) float words[words_shared];
  for (int i = threadIdx.x; i < words_shared; i += blockDim.x)
    words[i] = numbers[i % 32];
  const unsigned at = shared_address(words) + place<access>(threadIdx.x % 32);
  float v[accesses][4], sum[8];
  for (int k = 0; k < accesses; ++k)
    for (int i = 0; i < 4; ++i)
      v[k][i] = numbers[k + i];
  for (int i = 0; i < 8; ++i)
    sum[i] = numbers[i + 40];
  const float y = numbers[50];
  __syncthreads();
  const unsigned begin = now();
#pragma unroll 1
  for (unsigned round = 0; round < p.rounds; ++round) {
#pragma unroll
    for (int k = 0; k < accesses; ++k) {
      one<access>(at, v[k]);
#pragma unroll
      for (int i = 0; i < ffmas; ++i)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(sum[i % 8]) : "f"(y));
      if (burst > 0 && (k + 1) % (burst > 0 ? burst : 1) == 0)
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum[0]) : "f"(v[k][last<access>]), "f"(y));
    }
  }
  __syncthreads();
  const unsigned cycles = now() - begin;
  float all = 0;
  for (int k = 0; k < accesses; ++k)
    all += v[k][0] + v[k][1] + v[k][2] + v[k][3];
  for (const float s : sum)
    all += s;
  out[threadIdx.x + 1] = all;
  if (threadIdx.x == 0) out[0] = static_cast<float>(cycles);
}

template <int access, int ffmas, int burst, int warps>
void measure(const float* numbers, float* out) {
  const auto cycles = [&](unsigned rounds) {
    float least = 1e30F;
    for (int i = 0; i < 3; ++i) {
      mix<access, ffmas, burst, warps><<<1, 32 * warps>>>(numbers, numbers, out, {rounds, 0, 0, 0});
      least = std::min(least, to_host(out, 1)[0]);
    }
    return least;
  };
  std::printf("%s,%d,%d,%d,%d,%.3f\n", names[access], wavefronts[access], ffmas, burst, warps,
              (cycles(48) - cycles(16)) / 32 / accesses);
}

template <int access, int ffmas, int burst>
void each_number_of_warps(const float* numbers, float* out) {
  measure<access, ffmas, burst, 1>(numbers, out);
  measure<access, ffmas, burst, 2>(numbers, out);
  measure<access, ffmas, burst, 3>(numbers, out);
  measure<access, ffmas, burst, 4>(numbers, out);
  measure<access, ffmas, burst, 8>(numbers, out);
  measure<access, ffmas, burst, 16>(numbers, out);
}

template <int access>
void each_loop(const float* numbers, float* out) {
  each_number_of_warps<access, 0, 0>(numbers, out);
  each_number_of_warps<access, 4, 0>(numbers, out);
  each_number_of_warps<access, 8, 0>(numbers, out);
  if constexpr (access < sts32) {
    each_number_of_warps<access, 0, 1>(numbers, out);
    each_number_of_warps<access, 0, 2>(numbers, out);
    each_number_of_warps<access, 0, 4>(numbers, out);
    each_number_of_warps<access, 0, 8>(numbers, out);
  }
}

template <int... access>
void each_access(const float* numbers, float* out, std::integer_sequence<int, access...>) {
  (each_loop<access>(numbers, out), ...);
}

int main() {
  auto* const numbers = device_room<float>(1 << 16, 0);
  auto* const out = device_room<float>(1 << 16, 0);
  std::printf("access,wavefronts,ffmas,burst,warps,cycles\n");
  each_access(numbers, out, std::make_integer_sequence<int, sts128 + 1>{});
}
