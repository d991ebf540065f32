// Latency (one warp, each instruction waits for the one before) and cost an instruction (8 warps, chains that
// do not wait for each other) of what kernels use beside FFMA and memory: conversions, exponentials, constant
// loads, wide multiplications, shifts, shuffles; wide products with 1 to 6 logical operations beside each
// (wide_n) that do not wait for them, and the same operations without them (adds_n). CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o other_latencies other_latencies.cu && ./other_latencies
#include <cstdio>
#include <vector>

#include "experiment.hpp"

enum What {
  wide,
  high,
  shift,
  compare,
  mufu,
  to_float,
  to_int,
  constant,
  shuffle,
  reduction,
  high_and_shift,
  mad_and_shift,
  wide_low,
  wide_add,
  wide_1,
  wide_2,
  wide_4,
  wide_6,
  adds_1,
  adds_2,
  adds_4,
  adds_6
};
constexpr const char* names[] = {
    "wide",    "high",      "shift",          "compare",       "mufu",     "to_float", "to_int", "constant",
    "shuffle", "reduction", "high_and_shift", "mad_and_shift", "wide_low", "wide_add", "wide_1", "wide_2",
    "wide_4",  "wide_6",    "adds_1",         "adds_2",        "adds_4",   "adds_6"};
constexpr int unrolled = 32;

__constant__ int table[256];

struct Value {
  int i = 0, j = 0;
  long long l = 0;
  float f = 1;
  int k[6] = {};
};

// One instruction that waits for the last one's result (to_float and back: the bits are taken as they are).
template <What what>
__device__ __forceinline__ void once(Value& v, int a) {
  if (what == wide) {
    // The high half goes round, so that none of the two can be dropped.
    const int from = static_cast<int>(v.l >> 32);
    asm volatile("mul.wide.s32 %0, %1, %2;" : "=l"(v.l) : "r"(from), "r"(a));
  }
  if (what == wide_low) {
    const int from = static_cast<int>(v.l);
    asm volatile("mul.wide.s32 %0, %1, %2;" : "=l"(v.l) : "r"(from), "r"(a));
  }
  // As an address goes on.
  if (what == wide_add) asm volatile("mad.wide.s32 %0, %1, %1, %0;" : "+l"(v.l) : "r"(a));
  // Beside a shift that does not wait for it: does the scheduler stand still, or the pipe alone?
  if (what == high_and_shift) {
    asm volatile("mul.hi.s32 %0, %0, %1;" : "+r"(v.i) : "r"(a));
    asm volatile("shf.l.wrap.b32 %0, %0, %1, 3;" : "+r"(v.j) : "r"(a));
  }
  if (what == mad_and_shift) {
    asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(v.i) : "r"(a));
    asm volatile("shf.l.wrap.b32 %0, %0, %1, 3;" : "+r"(v.j) : "r"(a));
  }
  // A wide product that waits for the last one, and n operations that wait for theirs alone; the same ones
  // without it.
  constexpr int n = what == wide_1 || what == adds_1   ? 1
                    : what == wide_2 || what == adds_2 ? 2
                    : what == wide_4 || what == adds_4 ? 4
                    : what == wide_6 || what == adds_6 ? 6
                                                       : 0;
  if (n > 0 && what < adds_1) {
    const int from = static_cast<int>(v.l >> 32);
    asm volatile("mul.wide.s32 %0, %1, %2;" : "=l"(v.l) : "r"(from), "r"(a));
  }
#pragma unroll
  for (int i = 0; i < n; ++i)
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(v.k[i]) : "r"(a), "r"(v.j));
  if (what == high) asm volatile("mul.hi.s32 %0, %0, %1;" : "+r"(v.i) : "r"(a));
  if (what == shift) asm volatile("shf.l.wrap.b32 %0, %0, %1, 3;" : "+r"(v.i) : "r"(a));
  if (what == compare) {
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %1, %0, p; }" : "+r"(v.i) : "r"(a));
  }
  if (what == mufu) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v.f));
  if (what == to_float) asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(v.f) : "r"(__float_as_int(v.f)));
  if (what == to_int) {
    int r;
    asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(__int_as_float(v.i)));
    v.i = r;
  }
  if (what == constant) v.i = *reinterpret_cast<const int*>(reinterpret_cast<const char*>(table) + v.i);
  if (what == shuffle) v.i = __shfl_xor_sync(0xffffffffu, v.i, 1);
  if (what == reduction) v.i = __reduce_add_sync(0xffffffffu, v.i);
}

template <What what, int chains>
__global__ void run(long long* out, int* sink, int rounds, int a) {
  Value v[chains];
  for (int c = 0; c < chains; ++c)
    v[c].i = a * static_cast<int>(threadIdx.x + c), v[c].j = v[c].i, v[c].l = v[c].i,
    v[c].f = static_cast<float>(v[c].i + 1);
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int u = 0; u < unrolled / chains; ++u)
#pragma unroll
      for (int c = 0; c < chains; ++c)
        once<what>(v[c], a);
  }
  __syncthreads();
  const long long end = clock64();
  int sum = 0;
  for (int c = 0; c < chains; ++c)
    sum += v[c].i + v[c].j + static_cast<int>(v[c].l) + static_cast<int>(v[c].l >> 32) +
           static_cast<int>(v[c].f) + v[c].k[0] + v[c].k[1] + v[c].k[2] + v[c].k[3] + v[c].k[4] + v[c].k[5];
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0 && blockIdx.x == 0) *out = end - begin;
}

template <What what, int chains>
void measure(int warps, long long* out, int* sink) {
  const auto cycles = [&](int rounds) {
    std::vector<long long> all;
    for (int i = 0; i < 9; ++i) {
      run<what, chains><<<1, 32 * warps>>>(out, sink, rounds, 0);
      all.push_back(to_host(out, 1)[0]);
    }
    return static_cast<double>(median(all));
  };
  const double slope = (cycles(300) - cycles(100)) / 200 / unrolled;
  std::printf("%s,%d,%d,%.3f,%.3f\n", names[what], chains, warps, slope, slope / ((warps + 3) / 4));
}

// As many chains as do not wait for each other.
template <What what>
void chains(long long* out, int* sink) {
  for (int warps : {1, 4, 8, 16}) {
    measure<what, 1>(warps, out, sink);
    measure<what, 2>(warps, out, sink);
    measure<what, 4>(warps, out, sink);
    measure<what, 8>(warps, out, sink);
  }
}

template <What what>
void both(long long* out, int* sink) {
  measure<what, 1>(1, out, sink);
  measure<what, 1>(4, out, sink);
  measure<what, 4>(8, out, sink);
  measure<what, 4>(16, out, sink);
  measure<what, 4>(32, out, sink);
}

int main() {
  auto* const out = device_room<long long>(64);
  auto* const sink = device_room<int>(1 << 20);
  std::printf("what,chains,warps,cycles_an_instruction_of_a_warp,cycles_of_a_scheduler\n");
  both<shift>(out, sink), both<compare>(out, sink), both<mufu>(out, sink), both<to_float>(out, sink);
  both<to_int>(out, sink), both<constant>(out, sink), both<shuffle>(out, sink), both<reduction>(out, sink);
  chains<wide>(out, sink), chains<high>(out, sink), chains<wide_low>(out, sink), chains<wide_add>(out, sink);
  chains<high_and_shift>(out, sink), chains<mad_and_shift>(out, sink);
  chains<wide_1>(out, sink), chains<wide_2>(out, sink), chains<wide_4>(out, sink), chains<wide_6>(out, sink);
  chains<adds_1>(out, sink), chains<adds_2>(out, sink), chains<adds_4>(out, sink), chains<adds_6>(out, sink);
  return 0;
}
