// What forward branches cost a warp: sixteen ifs in a row whose body of 12, 24 or 48 instructions all lanes
// skip, none skips, half of the lanes skip, or all skip every other one; compiled with a convergence barrier
// around each (BSSY, BRA, BSYNC), as the compiler does where it cannot see that lanes agree, or as uniform
// branches without. `test`: the tests alone. CSV to standard output: cycles an if of a warp, warps an SM, the
// median warp's.
//   nvcc -O3 -arch=sm_90a -o branches branches.cu && ./branches
#include <algorithm>
#include <cstdio>

#include "experiment.hpp"

constexpr int ifs = 16, rounds = 64;
enum Code { test, diverging, uniform };

__device__ __forceinline__ void four(unsigned& v) {
  asm volatile("add.u32 %0, %0, 1;\nxor.b32 %0, %0, 3;\nadd.u32 %0, %0, 5;\nxor.b32 %0, %0, 9;\n" : "+r"(v));
}

template <Code code, int body>
__global__ void run(const unsigned* masks, unsigned common, unsigned* out, int* cycles) {
  const int lane = threadIdx.x % 32;
  unsigned v = lane, mask = masks[lane];
  int begin = 0, end = 0;
#pragma unroll 1
  for (int r = -2; r < rounds; ++r) {
    if (r == 0) asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
#pragma unroll
    for (int i = 0; i < ifs; ++i) {
      unsigned bit;
      asm volatile("and.b32 %0, %1, %2;" : "=r"(bit) : "r"(mask), "r"(1u << i));
      if constexpr (code == test) {
        v ^= bit;
      } else if constexpr (code == diverging) {
        if (bit) {
#pragma unroll
          for (int n = 0; n < body; n += 4)
            four(v);
        }
      } else if (common >> i & 1) {
#pragma unroll
        for (int n = 0; n < body; n += 4)
          four(v);
      }
    }
  }
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  if (lane == 0) cycles[threadIdx.x / 32] = end - begin;
  out[threadIdx.x] = v;
}

template <Code code, int body>
void rows(unsigned* masks, unsigned* out, int* cycles) {
  const char* const skips[] = {"all", "none", "half", "others"};
  for (int skip = 0; skip < 4; ++skip)
    for (const int warps : {1, 4, 8, 16, 32}) {
      for (int lane = 0; lane < 32; ++lane)
        masks[lane] = skip == 0 ? 0 : skip == 1 ? 0xffff : skip == 2 ? (lane < 16 ? 0xffff : 0) : 0xaaaa;
      for (int again = 0; again < 2; ++again) {
        run<code, body><<<1, 32 * warps>>>(masks, masks[0], out, cycles);
        CHECK(cudaDeviceSynchronize());
      }
      std::sort(cycles, cycles + warps);
      std::printf("%s,%d,%s,%d,%.2f\n",
                  code == test        ? "test"
                  : code == diverging ? "barrier"
                                      : "uniform",
                  body, skips[skip], warps, static_cast<double>(cycles[warps / 2]) / (ifs * rounds));
    }
}

int main() {
  auto* const masks = managed_room<unsigned>(32 * sizeof(unsigned));
  auto* const out = managed_room<unsigned>(1024 * sizeof(unsigned));
  auto* const cycles = managed_room<int>(32 * sizeof(int));
  std::printf("code,body,skipped_by,warps,cycles_an_if\n");
  rows<test, 4>(masks, out, cycles);
  rows<diverging, 12>(masks, out, cycles);
  rows<diverging, 24>(masks, out, cycles);
  rows<diverging, 48>(masks, out, cycles);
  rows<uniform, 24>(masks, out, cycles);
  rows<uniform, 48>(masks, out, cycles);
  return 0;
}
