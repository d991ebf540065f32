// What lanes of one asynchronous copy take from each other: `lanes` of a warp's 32 copy the same word (same),
// write zeros (zero: a source size of 0), or copy nothing (off); the others copy words next to each other.
// One block of W warps, 256 copies each, to words next to each other; lines are in L1 (cp.async.ca) or L2
// (.cg). CSV to standard output: cycles a copy of the SM, the least of five runs.
//   nvcc -O3 -arch=sm_90a -o copy_turns copy_turns.cu && ./copy_turns
#include <cstdio>

#include "experiment.hpp"

enum What { same, zero, off };
constexpr int copies = 256, lanes_of_warp = 32;

template <int bytes, bool past_l1>
__device__ __forceinline__ void copy_async(unsigned to, const char* from, int source_bytes) {
  if constexpr (past_l1)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(source_bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes),
                 "r"(source_bytes)
                 : "memory");
}

template <int bytes, bool past_l1>
__global__ void run(const char* data, int what, int lanes, long long* cycles) {
  extern __shared__ char buffer[];
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp;
  const bool special = lane >= lanes_of_warp - lanes;
  const char* const from = data + (what == same && special ? 31 : lane) * bytes;
  const int source_bytes = what == zero && special ? 0 : bytes;
  const unsigned to = shared_address(buffer) + (warp * lanes_of_warp + lane) * bytes;
  const auto all = [&] {
    if (what == off && special) return;
#pragma unroll 16
    for (int n = 0; n < copies; ++n)
      copy_async<bytes, past_l1>(to, from, source_bytes);
  };
  all();  // lines and code are there
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  const long long begin = clock64();
  all();
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
}

template <int bytes, bool past_l1>
void rows(const char* data, long long* cycles) {
  const char* const names[] = {"same", "zero", "off"};
  for (const int warps : {1, 4, 16})
    for (const int what : {same, zero, off})
      for (const int lanes : {0, 1, 2, 4, 8, 16, 24, 31, 32}) {
        const long long least = least_cycles(5, cycles, [&] {
          run<bytes, past_l1><<<1, warps * lanes_of_warp, 32768>>>(data, what, lanes, cycles);
        });
        std::printf("%s,%d,%d,%s,%d,%.2f\n", past_l1 ? "cg" : "ca", bytes, warps, names[what], lanes,
                    static_cast<double>(least) / (copies * warps));
      }
}

int main() {
  auto* const data = device_room<char>(1 << 20, 1);
  auto* const cycles = managed_room<long long>(sizeof(long long));
  std::printf("way,bytes,warps,what,lanes,cycles_a_copy\n");
  rows<4, false>(data, cycles);
  rows<8, false>(data, cycles);
  rows<16, false>(data, cycles);
  rows<16, true>(data, cycles);
  return 0;
}
