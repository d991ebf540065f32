// What asynchronous copies through L1 cost whose words meet in L1's or in shared memory's banks, with the
// memory pipe to themselves and beside shared loads. A warp's 32 lanes copy 4, 8 or 16 bytes each, in
// `groups` groups of neighbouring lanes; a group's words begin `from_apart` words behind the one before in
// global memory, `to_apart` words in shared memory.
//   where: l1 (the same words again), l2 (new ones)
// CSV to standard output: cycles of the SM for one copy of one warp, with the shared loads (`reads` LDS.128
// behind every eight copies), the least of three runs.
//   nvcc -O3 -arch=sm_90a -o copy_conflicts copy_conflicts.cu && ./copy_conflicts
#include <cstdio>
#include <set>

#include "experiment.hpp"

constexpr int lanes_of_warp = 32, ops = 8, turns = 24;

template <int bytes, int reads>
__global__ void run(const char* data, int groups, unsigned from_apart, unsigned to_apart, unsigned stride,
                    size_t of_warp, float* out, long long* cycles) {
  extern __shared__ char buffer[];
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp;
  const int in_group = lanes_of_warp / groups;
  const char* const first =
      data + lane / in_group * from_apart * 4 + lane % in_group * bytes + of_warp * warp;
  const auto base = shared_address(buffer);
  const unsigned to = base + 8192 + warp * 512 + lane / in_group * to_apart * 4 + lane % in_group * bytes;
  float total = 0;
  const auto all = [&](int times) {
    const char* at = first;
#pragma unroll 1
    for (int n = 0; n < times; ++n) {
#pragma unroll
      for (int i = 0; i < ops; ++i) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(at), "n"(bytes) : "memory");
        at += stride;
      }
#pragma unroll
      for (int r = 0; r < reads; ++r) {
        float4 v;
        asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "r"(base + lane * 16 + r % 8 * 512)
                     : "memory");
        total += v.x;
      }
    }
  };
  all(turns);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  const long long begin = clock64();
  all(turns);
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (total == 12345.0F) out[0] = total;
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
}

template <int bytes, int reads>
void row(const char* data, float* out, long long* cycles, int warps, int groups, unsigned from_apart,
         unsigned to_apart, bool l1) {
  constexpr int shared = 100 * 1024;
  const auto kernel = run<bytes, reads>;
  allow_shared(kernel, shared);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  const unsigned stride = l1 ? 0 : lanes_of_warp / groups * bytes;
  const size_t of_warp = l1 ? 0 : static_cast<size_t>(groups) * from_apart * 4;
  const long long least = least_cycles(3, cycles, [&] {
    kernel<<<1, warps * lanes_of_warp, shared>>>(data, groups, from_apart, to_apart, stride, of_warp, out,
                                                 cycles);
  });
  std::printf("%d,%d,%d,%d,%u,%u,%s,%.2f\n", bytes, reads, warps, groups, from_apart, to_apart,
              l1 ? "l1" : "l2", static_cast<double>(least) / (ops * turns * warps));
}

template <int bytes, int reads>
void rows(const char* data, float* out, long long* cycles) {
  // Rows of 64 KiB and so many words more, in L1 as in L2.
  constexpr unsigned row_words = 16384;
  for (const int warps : {4, 16})
    for (const bool l1 : {true, false})
      for (const int groups : {1, 2, 4, 8}) {
        const unsigned in_group = lanes_of_warp / groups * bytes / 4;
        std::set<std::pair<unsigned, unsigned>> done;
        for (const unsigned from : {in_group % 32, 0U, 5U, 11U})
          for (const unsigned to : {in_group % 32, 0U, 4U, 8U, 12U}) {
            if (groups == 1 && (from != in_group % 32 || to != in_group % 32)) continue;
            const unsigned from_apart = row_words + from / (bytes / 4) * (bytes / 4);
            if (!done.insert({from_apart, to}).second) continue;
            row<bytes, reads>(data, out, cycles, warps, groups, from_apart, 1024 + to, l1);
          }
      }
}

int main() {
  auto* const data = device_room<char>(64 << 20, 0);
  auto* const out = device_room<float>(4);
  auto* const cycles = managed_room<long long>(sizeof(long long));
  std::printf("bytes,reads,warps,groups,from_apart,to_apart,where,cycles_a_copy\n");
  rows<4, 0>(data, out, cycles);
  rows<4, 8>(data, out, cycles);
  rows<8, 0>(data, out, cycles);
  rows<8, 8>(data, out, cycles);
  rows<16, 0>(data, out, cycles);
  rows<16, 8>(data, out, cycles);
  return 0;
}
