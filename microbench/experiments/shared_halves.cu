// Whether it matters where in the SM's shared memory accesses go: 120 steps in each of which eight warps make
// 16 accesses of a kind each, to (or of) a region of 16 KB that begins at `kib`, and, with `reads`, read
// twice 16 bytes a lane of the first KiB and add 128 times (32 reads of two addresses, as the compiler leaves
// them); then a barrier; copies of the step before are waited for. One block with nearly all of the shared
// memory, behind the SM's first KiB, which is reserved; L1 has 28 KB, data are in L2.
//   row4, row8, row16: copies through L1 of 4, 8, 16 bytes a lane, words beside each other
//   rows4: of 4 bytes, eight lanes beside each other in each of four rows
//   past16: past L1, of 16 bytes
//   loads: of registers, as rows4, which write to no shared memory; store, load: of shared memory, 4 bytes a
//   lane (the compiler leaves four of the loads); none: reads alone
// CSV to standard output: cycles a step, mean of the last 100 steps, the least of five runs.
//   nvcc -O3 -arch=sm_90a -o shared_halves shared_halves.cu && ./shared_halves
#include <cstdio>

#include "experiment.hpp"

enum Kind { row4, row8, row16, rows4, past16, loads, store, load, none };
constexpr const char* names[] = {"row4",  "row8",  "row16", "rows4", "past16",
                                 "loads", "store", "load",  "none"};
constexpr int steps = 120, first = 20, accesses = 16, warps = 8, lanes_of_warp = 32, reads_a_step = 32;
constexpr int all_shared = 227 * 1024, row_floats = 1152;

template <Kind kind>
__device__ __forceinline__ void access(unsigned at, const float* from, float& sum) {
  float x = 0;
  if constexpr (kind == row4 || kind == rows4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
  if constexpr (kind == row8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(from) : "memory");
  if constexpr (kind == row16)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  if constexpr (kind == past16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  if constexpr (kind == loads) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(x) : "l"(from) : "memory");
  if constexpr (kind == store) asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(sum) : "memory");
  if constexpr (kind == load) asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at) : "memory");
  sum += x;
}

template <Kind kind, bool reads>
__global__ void run(const float* data, int offset, long long* cycles, float* kept) {
  extern __shared__ float buffer[];
  constexpr int bytes = kind == row16 || kind == past16 ? 16 : kind == row8 ? 8 : 4;
  constexpr int lanes = kind == rows4 || kind == loads ? 8 : lanes_of_warp, rows = lanes_of_warp / lanes;
  constexpr int words = bytes / 4, creep = lanes * words < 32 ? 8 : lanes * words;
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp;
  const float* from[accesses];
  for (int c = 0; c < accesses; ++c)
    from[c] = data + ((c * warps + warp) * rows + lane / lanes) * row_floats + lane % lanes * words;
  const unsigned to = shared_address(buffer) + offset + bytes * threadIdx.x;
  float sum = 0;
  float4 four = {};
  long long begin = 0;
  for (int s = 0; s < steps; ++s) {
    if (s == first) begin = clock64();
#pragma unroll
    for (int c = 0; c < accesses; ++c)
      access<kind>(to + c % 4 * 4096, from[c], sum);
#pragma unroll
    for (int c = 0; c < accesses; ++c)
      asm volatile("add.s64 %0, %0, %1;" : "+l"(from[c]) : "l"(4LL * creep) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    if constexpr (reads) {
#pragma unroll
      for (int k = 0; k < reads_a_step; ++k) {
        float4 x;
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                     : "r"(shared_address(buffer) + 16 * lane + k % 2 * 512));
        four.x += x.x, four.y += x.y, four.z += x.z, four.w += x.w;
      }
    }
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
  }
  const long long end = clock64();
  sum += four.x + four.y + four.z + four.w;
  if (sum == 1.25F) *kept = sum;
  if (threadIdx.x == 0) *cycles = end - begin;
}

template <Kind kind, bool reads>
void rows_of(const float* data, long long* cycles, float* kept) {
  const auto kernel = run<kind, reads>;
  allow_shared(kernel, all_shared);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  for (int kib = 0; kib <= 208; kib += 16) {
    const long long least = least_cycles(
        5, cycles, [&] { kernel<<<1, warps * lanes_of_warp, all_shared>>>(data, kib * 1024, cycles, kept); });
    std::printf("%s,%d,%d,%.1f\n", names[kind], reads, kib, static_cast<double>(least) / (steps - first));
  }
}

template <Kind kind>
void rows_of(const float* data, long long* cycles, float* kept) {
  rows_of<kind, false>(data, cycles, kept);
  rows_of<kind, true>(data, cycles, kept);
}

int main() {
  const float* const data = random_numbers(1 << 24);
  auto* const cycles = managed_room<long long>(sizeof(long long));
  auto* const kept = device_room<float>(sizeof(float));
  std::printf("kind,reads,kib,cycles\n");
  rows_of<none>(data, cycles, kept);
  rows_of<row4>(data, cycles, kept);
  rows_of<row8>(data, cycles, kept);
  rows_of<row16>(data, cycles, kept);
  rows_of<rows4>(data, cycles, kept);
  rows_of<past16>(data, cycles, kept);
  rows_of<loads>(data, cycles, kept);
  rows_of<store>(data, cycles, kept);
  rows_of<load>(data, cycles, kept);
}
