// Whether special registers, special functions, conversions and constant loads share a pipe: warps of an SM
// that issue one kind of them, two in turn, or one kind twice. Half of `smid` are S2UR, half S2R. CSV to
// standard output: cycles of a scheduler for each turn.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o pipe_pairs pipe_pairs.cu && ./pipe_pairs
#include <algorithm>
#include <cstdio>
#include <vector>
#include "experiment.hpp"

enum Kind { none, s2r, mufu, f2i, ldc, ldc64, shfl, imad_hi };
const char* const names[] = {"none", "smid", "mufu", "f2i", "ldc", "ldc64", "shuffle", "imad_hi"};
__constant__ unsigned table[1024];

struct State {
  unsigned u, at;
  float f, g;
  unsigned h;
};
template <int kind>
__device__ __forceinline__ void one(State& s) {
  if constexpr (kind == s2r)
    asm volatile("{ .reg .u32 t; mov.u32 t, %%smid; xor.b32 %0, %0, t; }" : "+r"(s.u));
  if constexpr (kind == mufu) {
    float r;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(s.f));
    s.f = r;
  }
  if constexpr (kind == f2i) {
    unsigned r;
    asm volatile("cvt.rzi.u32.f32 %0, %1;" : "=r"(r) : "f"(s.g));
    s.g = __uint_as_float(r);
  }
  if constexpr (kind == ldc) {
    unsigned r;
    asm volatile("ld.const.u32 %0, [%1];" : "=r"(r) : "r"(s.at));
    s.at += r;
  }
  if constexpr (kind == ldc64) {
    unsigned a, b;
    asm volatile("ld.const.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(s.at));
    s.at += a & b;
  }
  if constexpr (kind == shfl) {
    unsigned r;
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(r) : "r"(s.h));
    s.h = r;
  }
  if constexpr (kind == imad_hi) {
    unsigned r;
    asm volatile("mul.hi.u32 %0, %1, %1;" : "=r"(r) : "r"(s.h));
    s.h = r;
  }
}
template <int a, int b>
__global__ void __launch_bounds__(1024) go(unsigned* out, long long* cycles, int trips, unsigned zero) {
  State s[4];
  unsigned base;
  asm volatile("mov.u32 %0, table;" : "=r"(base));
  for (int i = 0; i < 4; ++i)
    s[i] = {threadIdx.x, base + zero * threadIdx.x + 8u * i, 1.0f + i + zero, 2.0f + i + zero, threadIdx.x};
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      one<a>(s[i % 4]);
      one<b>(s[i % 4]);
    }
  }
  const long long end = clock64();
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i)
    sum ^= s[i].u ^ s[i].at ^ s[i].h ^ __float_as_uint(s[i].f) ^ __float_as_uint(s[i].g);
  if (sum == 0x12345678u) out[threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) cycles[blockIdx.x * 32 + threadIdx.x / 32] = end - begin;
}
template <int a, int b>
void measure(unsigned* out, long long* cycles) {
  std::printf("%s,%s", names[a], names[b]);
  for (const int warps : {4, 8, 16, 32}) {
    double took[2];
    for (int i = 0; i < 2; ++i) {
      long long least = 1LL << 60;
      for (int n = 0; n < 3; ++n) {
        go<a, b><<<132, 32 * warps>>>(out, cycles, i ? 64 : 16, 0);
        CHECK(cudaDeviceSynchronize());
        long long most = 0;
        for (int w = 0; w < warps; ++w)
          most = std::max(most, cycles[w]);
        least = std::min(least, most);
      }
      took[i] = static_cast<double>(least);
    }
    std::printf(",%.3f", (took[1] - took[0]) / 48 / 16 / (warps / 4));
  }
  std::printf("\n");
}
int main() {
  auto* const out = device_room<unsigned>(4096);
  auto* const cycles = managed_room<long long>(132 * 32 * sizeof(long long));
  std::printf("a,b,1_warp_a_scheduler,2,4,8\n");
  measure<s2r, none>(out, cycles);
  measure<mufu, none>(out, cycles);
  measure<f2i, none>(out, cycles);
  measure<ldc, none>(out, cycles);
  measure<ldc64, none>(out, cycles);
  measure<shfl, none>(out, cycles);
  measure<imad_hi, none>(out, cycles);
  measure<s2r, s2r>(out, cycles);
  measure<s2r, mufu>(out, cycles);
  measure<s2r, f2i>(out, cycles);
  measure<s2r, ldc>(out, cycles);
  measure<s2r, shfl>(out, cycles);
  measure<s2r, imad_hi>(out, cycles);
  measure<s2r, ldc64>(out, cycles);
  measure<mufu, f2i>(out, cycles);
  measure<mufu, ldc>(out, cycles);
  measure<mufu, shfl>(out, cycles);
  measure<ldc, shfl>(out, cycles);
  measure<ldc, imad_hi>(out, cycles);
  measure<mufu, imad_hi>(out, cycles);
}
