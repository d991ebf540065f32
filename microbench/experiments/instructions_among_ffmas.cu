// What one more instruction costs among a gemm's multiply-adds: loops of 512 FFMAs in tiles of TM x TN sums,
// as the compiler allots registers and orders them, with so many further instructions of one kind among them.
//   reads: fragments read from shared memory one k ahead, 16 bytes at a time, as the gemms do; else they stay
//   an_round: further instructions a round of 512 FFMAs, evenly among them in the source
//   warps: of one block, alone on its SM
//   cycles: of the block for a round (of 48 rounds less 16, the least of three launches)
// CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o instructions_among_ffmas instructions_among_ffmas.cu &&
//   ./instructions_among_ffmas
#include <cstdio>
#include <utility>

#include "experiment.hpp"

enum Kind {
  none,
  lds32,
  lds64,
  lds128,
  lds64_same,  // eight lanes a word
  lds128_same,
  sts32,
  sts64,
  sts128,
  ldg32,
  ldg128,
  stg32,
  stg128,
  copy4,
  copy16,
  constant,
  iadd,
  shift,
  imad,
  commit,
  kinds,
  barrier
};
constexpr const char* kind_names[] = {"none",   "lds32",  "lds64",  "lds128", "lds64_same", "lds128_same",
                                      "sts32",  "sts64",  "sts128", "ldg32",  "ldg128",     "stg32",
                                      "stg128", "copy4",  "copy16", "ldc",    "iadd",       "shift",
                                      "imad",   "commit", "",       "barrier"};

constexpr int ffmas = 512, words_shared = 4096;
__constant__ float table[1024];

// All zero but the rounds: the compiler does not know that.
struct Params {
  unsigned rounds, step, mask, number;
};

struct State {
  unsigned shared, constant_at, x[4];
  const char* from;
  char* to;
  float sum[4];
};

template <Kind kind>
__device__ __forceinline__ void more(State& s, int e, const Params& p) {
  const unsigned at = s.shared + e % 4 * 128;
  float& sum = s.sum[e % 4];
  float a, b, c, d;
  if (kind == lds32) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(a) : "r"(at));
  if (kind == lds64 || kind == lds64_same)
    asm volatile("ld.volatile.shared.v2.f32 {%0,%1}, [%2];" : "=f"(a), "=f"(b) : "r"(at));
  if (kind == lds128 || kind == lds128_same)
    asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "r"(at));
  if (kind == sts32) asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at), "f"(sum));
  if (kind == sts64)
    asm volatile("st.volatile.shared.v2.f32 [%0], {%1,%2};" ::"r"(at), "f"(s.sum[0]), "f"(s.sum[1]));
  if (kind == sts128)
    asm volatile("st.volatile.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(at), "f"(s.sum[0]), "f"(s.sum[1]),
                 "f"(s.sum[2]), "f"(s.sum[3]));
  if (kind == ldg32) {
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(a) : "l"(s.from + e * 128));
    sum += a;
  }
  if (kind == ldg128) {
    asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "l"(s.from + e * 512));
    s.sum[0] += a, s.sum[1] += b, s.sum[2] += c, s.sum[3] += d;
  }
  if (kind == stg32) asm volatile("st.global.f32 [%0], %1;" ::"l"(s.to + e * 128), "f"(sum));
  if (kind == stg128)
    asm volatile("st.global.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(s.to + e * 512), "f"(s.sum[0]), "f"(s.sum[1]),
                 "f"(s.sum[2]), "f"(s.sum[3]));
  if (kind == copy4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(s.from + e * 128));
  if (kind == copy16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(s.from + e * 512));
  if (kind == commit) asm volatile("cp.async.commit_group;");
  if (kind == barrier) asm volatile("bar.sync 0;");
  if (kind == constant) {
    asm volatile("ld.const.f32 %0, [%1];" : "=f"(a) : "r"(s.constant_at + e * 4));
    sum += a;
  }
  unsigned& x = s.x[e % 4];
  if (kind == iadd) asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(p.number));
  if (kind == shift) asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(s.shared), "r"(p.number));
  if (kind == imad) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(p.number), "r"(s.shared));
}

// Bytes that a lane of a kind's accesses is from its neighbour.
template <Kind kind>
constexpr int lane_bytes =
    kind == lds128 || kind == sts128 || kind == ldg128 || kind == stg128 || kind == copy16 ? 16
    : kind == lds64 || kind == sts64                                                       ? 8
                                                                                           : 4;

template <int TM, int TN, bool reads, Kind kind, int an_round>
__global__ void __launch_bounds__(TM* TN > 64 ? 256 : 512, 1)
    mix(const float* numbers, const float*, float* out, const Params p) {
  constexpr int steps = ffmas / (TM * TN), each = an_round ? ffmas / an_round : ffmas + 1;
  __shared__ __align__(16) float a[steps][128], b[steps][128], other[words_shared];
  for (int i = threadIdx.x; i < steps * 128; i += blockDim.x) {
    a[i / 128][i % 128] = numbers[i % 32];
    b[i / 128][i % 128] = numbers[i % 31];
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  State s;
  s.shared = shared_address(other) +
             (kind == lds64_same || kind == lds128_same ? lane / 8 * 16 : lane * lane_bytes<kind>)+warp *
                 (words_shared / 4);
  s.from = reinterpret_cast<const char*>(numbers) + 4096 + lane * lane_bytes<kind>;
  s.to = reinterpret_cast<char*>(out) + 4096 + warp * 65536 + lane * lane_bytes<kind>;
  s.constant_at = static_cast<unsigned>(__cvta_generic_to_constant(table)) + (threadIdx.x & p.mask) * 4;
  for (int i = 0; i < 4; ++i)
    s.sum[i] = numbers[i + 40], s.x[i] = threadIdx.x + i;
  float sum[TM][TN] = {}, x[2][TM], y[2][TN];
  // 4 x 8 lanes
  const int m0 = lane / 8 * 4, n0 = lane % 8 * 4;
  const auto read = [&](int buffer, int k) {
#pragma unroll
    for (int i = 0; i < TM; i += 4)
      load_four(x[buffer] + i, &a[k][m0 + i * 4]);
#pragma unroll
    for (int i = 0; i < TN; i += 4)
      load_four(y[buffer] + i, &b[k][(n0 + i * 8) % 128]);
  };
  __syncthreads();
  read(0, 0);
  if (!reads) read(1, 1);
  __syncthreads();
  const unsigned begin = now();
#pragma unroll 1
  for (unsigned r = 0; r < p.rounds; ++r) {
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      if (reads) read((k + 1) % 2, (k + 1) % steps);
#pragma unroll
      for (int m = 0; m < TM; ++m)
#pragma unroll
        for (int i = 0; i < TN; ++i) {
          const int n = m % 2 ? TN - 1 - i : i, at = (k * TM + m) * TN + i;
          sum[m][n] = fmaf(x[k % 2][m], y[k % 2][n], sum[m][n]);
          if (at % each == each / 2) more<kind>(s, at / each, p);
        }
    }
    if (kind == ldg32 || kind == ldg128 || kind == copy4 || kind == copy16) s.from += p.step;
    if (kind == stg32 || kind == stg128) s.to += p.step;
    if (kind == constant) s.constant_at += p.step;
    if (reads) asm volatile("" ::: "memory");
  }
  const unsigned end = now();
  if (kind == copy4 || kind == copy16) asm volatile("cp.async.wait_all;" ::: "memory");
  if (lane == 0) {
    auto* const notes = reinterpret_cast<unsigned*>(out) + warp * 2;
    notes[0] = begin, notes[1] = end;
  }
  float total = x[0][0] + y[0][0] + s.sum[0] + s.sum[1] + s.sum[2] + s.sum[3];
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; ++n)
      total += sum[m][n];
  out[1 + threadIdx.x + 256] = total + __uint_as_float(s.x[0] ^ s.x[1] ^ s.x[2] ^ s.x[3]);
}

struct Room {
  const float* numbers;
  float* out;
};

template <int TM, int TN, bool reads, Kind kind, int an_round>
void measure(const Room& room) {
  for (int warps = 4; warps <= (TM * TN > 64 ? 8 : 16); warps *= 2) {
    const auto kernel = mix<TM, TN, reads, kind, an_round>;
    const auto least = [&](unsigned rounds) {
      return least_of_warps(warps, room.out, [&] {
        kernel<<<1, warps * 32>>>(room.numbers, room.numbers, room.out, Params{rounds, 0, 0, 0});
      });
    };
    const unsigned few = least(16), many = least(48);
    std::printf("%d,%d,%d,%s,%d,%d,%.2f\n", TM, TN, reads, kind_names[kind], an_round, warps,
                (many - few) / 32.0);
  }
  std::fflush(stdout);
}

template <int TM, int TN, bool reads, int an_round, int... k>
void measure_kinds(const Room& room, std::integer_sequence<int, k...>) {
  (measure<TM, TN, reads, static_cast<Kind>(k + 1), an_round>(room), ...);
}

template <int TM, int TN>
void tile(const Room& room) {
  constexpr std::make_integer_sequence<int, kinds - 1> all{};
  measure<TM, TN, false, none, 0>(room);
  measure<TM, TN, true, none, 0>(room);
  measure_kinds<TM, TN, true, 8>(room, all);
  measure<TM, TN, true, barrier, 2>(room);
  if constexpr (TM == TN) {
    measure_kinds<TM, TN, false, 8>(room, all);
    measure_kinds<TM, TN, false, 16>(room, all);
  }
}

int main() {
  const Room room{device_room<float>(1 << 20, 0), device_room<float>(8 << 20, 0)};
  std::printf("tile_m,tile_n,reads,kind,an_round,warps,cycles\n");
  tile<4, 4>(room);
  tile<4, 8>(room);
  tile<8, 4>(room);
  tile<8, 8>(room);
  tile<8, 16>(room);
  return 0;
}
