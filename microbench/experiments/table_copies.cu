// Copies to shared memory whose source a table in shared memory gives, word by word, as implicit_gemm's
// gathers have them: in each of `rounds` rounds a warp makes 16 copies of 4 bytes a lane, lanes beside each
// other, of a map in L1. What stands before each copy:
//   0: nothing, the source is a register                      1: its own offset, read from the table
//   2: all 16 offsets are read before the first copy          3: offsets are read, nothing is copied
//   4: words of the table (LDS.32) are read, nothing is copied
// Then the group is committed and the one before waited for. One block, the map in L1 but for the first
// round. CSV to standard output: cycles a copy (or a read) of the SM, least of three runs.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o table_copies table_copies.cu && ./table_copies
#include <cstdio>

#include "experiment.hpp"

constexpr int copies = 16;

template <int kind>
__global__ void run(const float* map, long long* cycles, float* kept, int rounds) {
  extern __shared__ float buffer[];
  auto* const table = reinterpret_cast<int2*>(buffer);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < 2 * copies) table[thread] = make_int2(thread % copies * 34, thread % 2);
  __syncthreads();
  const unsigned to = shared_address(buffer) + 4 * (4 * copies + thread);
  const int valid = rounds > 0 ? 3 : 1;  // 3, which the compiler does not know
  const float* const row = map + thread % 32 + (thread / 32) * 64;
  int sum = 0;
  const long long begin = clock64();
  for (int r = 0; r < rounds; ++r) {
    const int2* const entries = table + (r & 1) * copies;
    int2 all[copies];
    if constexpr (kind == 2) {
#pragma unroll
      for (int c = 0; c < copies; ++c)
        all[c] = entries[c];
    }
#pragma unroll
    for (int c = 0; c < copies; ++c) {
      int2 entry = make_int2(c * 34, c % 2);
      if constexpr (kind == 1 || kind == 3) entry = entries[c];
      if constexpr (kind == 2) entry = all[c];
      if constexpr (kind == 4) entry.x = entries[c].x;
      if constexpr (kind >= 3) {
        sum += (entry.y & valid) + entry.x;
        continue;
      }
      const bool present = (entry.y & valid) == entry.y;
      asm volatile(
          "cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to + c * 4 * static_cast<int>(blockDim.x)),
          "l"(row + entry.x), "r"(present ? 4 : 0)
          : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  }
  const long long end = clock64();
  kept[thread] = static_cast<float>(sum);
  if (thread == 0) cycles[0] = end - begin;
}

template <int kind>
void measure(const float* map, long long* cycles, float* kept) {
  for (const int warps : {1, 4, 8, 16}) {
    constexpr int few = 20, many = 120, shared = 64 * 1024;
    allow_shared(run<kind>, shared);
    CHECK(cudaFuncSetAttribute(run<kind>, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    const auto took = [&](int rounds) {
      return least_cycles(3, cycles, [&] {
        run<kind><<<1, 32 * warps, shared>>>(map, cycles, kept, rounds);
        CHECK(cudaDeviceSynchronize());
      });
    };
    std::printf("%d,%d,%.3f\n", kind, warps,
                static_cast<double>(took(many) - took(few)) / (many - few) / copies / warps);
  }
}

int main() {
  const float* const map = random_numbers(1 << 20);
  auto* const cycles = managed_room<long long>(sizeof(long long));
  auto* const kept = device_room<float>(sizeof(float) * 1024);
  std::printf("kind,warps,cycles\n");
  measure<0>(map, cycles, kept);
  measure<1>(map, cycles, kept);
  measure<2>(map, cycles, kept);
  measure<3>(map, cycles, kept);
  measure<4>(map, cycles, kept);
}
