// How a warp gets its instructions: straight lines of FFMAs, longer and shorter than the SM's instruction
// cache (32 KB), that issue one every cycle, every second or every fourth, run once and several times, by
// warps of one or more schedulers, by blocks beside each other and one after the other, on one SM and on all.
// If the next line were asked for when the last one's instructions are gone, a slow line would cost as much
// more than a fast one as its own cycles. CSV to standard output; cycles by clock64 of the last of several
// replays.
//   nvcc -O3 -arch=sm_90a -o code_lines code_lines.cu && ./code_lines
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "experiment.hpp"

constexpr int pieces = 8;

// Sixteen FFMAs on `chains` accumulators in turn: with one, each waits four cycles for the one before. One
// statement each, for the compiler's sake.
template <int chains>
__device__ __forceinline__ void sixteen(float (&x)[16], float a, float b) {
#define FMA(i) "fma.rn.f32 %" #i ", %" #i ", %16, %17;"
#define FMAS_1 FMA(0) FMA(0) FMA(0) FMA(0)
#define FMAS_2 FMA(0) FMA(1) FMA(0) FMA(1)
#define OPERANDS                                                                                  \
  "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]), "+f"(x[6]), "+f"(x[7]), \
      "+f"(x[8]), "+f"(x[9]), "+f"(x[10]), "+f"(x[11]), "+f"(x[12]), "+f"(x[13]), "+f"(x[14]),    \
      "+f"(x[15]) : "f"(a), "f"(b)
  if constexpr (chains == 1) asm volatile(FMAS_1 FMAS_1 FMAS_1 FMAS_1 : OPERANDS);
  if constexpr (chains == 2) asm volatile(FMAS_2 FMAS_2 FMAS_2 FMAS_2 : OPERANDS);
  if constexpr (chains == 16)
    asm volatile(FMA(0) FMA(1) FMA(2) FMA(3) FMA(4) FMA(5) FMA(6) FMA(7) FMA(8) FMA(9) FMA(10) FMA(11) FMA(12)
                     FMA(13) FMA(14) FMA(15)
                 : OPERANDS);
}

template <int chains, int count>
__device__ __forceinline__ void ffmas(float (&x)[16], float a, float b) {
#pragma unroll
  for (int i = 0; i < count / 16; ++i)
    sixteen<chains>(x, a, b);
}

// kind 1, 2, 4: cycles between FFMAs; 0: as 1, with a shared load every 32 that the next one waits for.
template <int kind, int length>
__global__ void __launch_bounds__(1024, 1) run(const float* numbers, int trips, unsigned* out, float* sums) {
  __shared__ float words[32];
  words[threadIdx.x % 32] = numbers[threadIdx.x % 32];
  float x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = numbers[i];
  const float a = numbers[16], b = numbers[17];
  const auto mine = shared_address(words + threadIdx.x % 32);
  __syncthreads();
  unsigned at[pieces + 1], first[pieces + 1];
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
    at[0] = now();
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      if constexpr (kind == 0) {
#pragma unroll
        for (int i = 0; i < length / pieces / 32; ++i) {
          asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x[0]) : "r"(mine));
          ffmas<16, 32>(x, a, b);
        }
      } else {
        ffmas<kind == 1 ? 16 : 4 / kind, length / pieces>(x, a, b);
      }
      at[p + 1] = now();
    }
    if (t == 0) {
      for (int p = 0; p <= pieces; ++p)
        first[p] = at[p];
    }
  }
  float sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += x[i];
  sums[(blockIdx.x * blockDim.x + threadIdx.x) % 4096] = sum;
  if (threadIdx.x % 32 == 0) {
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * (pieces + 3);
    to[0] = sm;
    for (int p = 0; p <= pieces; ++p)
      to[1 + p] = first[p];
    to[pieces + 2] = at[pieces];
  }
}

// `blocks_an_sm` at once (`waves` times), of so many warps; on `sms` SMs where there is one block on each.
template <int kind, int length>
void measure(int warps, int blocks_an_sm, int waves, int sms, int trips, const float* numbers, unsigned* out,
             float* sums) {
  constexpr int shared_of_sm = 227 * 1024;
  const int shared = std::max(0, shared_of_sm / blocks_an_sm - 1024 - 256);
  allow_shared(run<kind, length>, shared);
  const int blocks = blocks_an_sm * sms * waves;
  graph_times_us(4, 0, 2, [&](cudaStream_t stream) {
    run<kind, length><<<blocks, 32 * warps, shared, stream>>>(numbers, trips, out, sums);
  });
  const auto host = to_host(out, static_cast<std::size_t>(blocks) * warps * (pieces + 3));
  // Of one SM: the median one by the time from its first warp's begin to its last one's end.
  std::map<unsigned, std::vector<const unsigned*>> of_sm;
  for (int w = 0; w < blocks * warps; ++w)
    of_sm[host[static_cast<std::size_t>(w) * (pieces + 3)]].push_back(host.data() + w * (pieces + 3));
  std::vector<std::pair<unsigned, unsigned>> times;  // time, SM
  for (const auto& [sm, rows] : of_sm) {
    unsigned begin = rows[0][1], end = rows[0][pieces + 2];
    for (const auto* r : rows) {
      if (sooner(r[1], begin)) begin = r[1];
      if (sooner(end, r[pieces + 2])) end = r[pieces + 2];
    }
    times.push_back({end - begin, sm});
  }
  std::sort(times.begin(), times.end());
  const auto [time, sm] = times[times.size() / 2];
  const auto& rows = of_sm[sm];
  // The first trip's pieces of the warp that takes longest for it, of the first wave's warps.
  const auto* slowest = rows[0];
  double own = 0;
  for (const auto* r : rows) {
    own += r[pieces + 2] - r[1];
    if (r[pieces + 1] - r[1] > slowest[pieces + 1] - slowest[1]) slowest = r;
  }
  std::printf("%d,%d,%d,%d,%d,%d,%d,%u,%.0f", kind, length, trips, warps, blocks_an_sm, waves, sms, time,
              own / static_cast<double>(rows.size()));
  for (int p = 1; p <= pieces; ++p)
    std::printf(",%u", slowest[1 + p] - slowest[p]);
  std::printf("\n");
  std::fflush(stdout);
}

template <int kind, int length>
void lengths(const float* numbers, unsigned* out, float* sums, int all) {
  const auto one = [&](int warps, int blocks, int waves, int sms, int trips) {
    measure<kind, length>(warps, blocks, waves, sms, trips, numbers, out, sums);
  };
  for (const int warps : {1, 2, 4, 8, 16}) {
    one(warps, 1, 1, all, 1);
    one(warps, 1, 1, all, 4);
  }
  one(1, 1, 1, 1, 1);
  one(4, 1, 1, 1, 1);
  for (const int blocks : {2, 4, 8}) {
    one(1, blocks, 1, all, 1);
    one(1, blocks, 1, all, 4);
  }
  one(2, 3, 1, all, 1);
  one(1, 1, 2, all, 1);
  one(1, 1, 3, all, 1);
  one(1, 4, 3, all, 1);
  one(4, 1, 3, all, 1);
}

template <int kind>
void all_lengths(const float* numbers, unsigned* out, float* sums, int all) {
  lengths<kind, 1024>(numbers, out, sums, all);
  lengths<kind, 2304>(numbers, out, sums, all);
  lengths<kind, 3072>(numbers, out, sums, all);
  lengths<kind, 4096>(numbers, out, sums, all);
  lengths<kind, 6144>(numbers, out, sums, all);
  lengths<kind, 12288>(numbers, out, sums, all);
}

int main() {
  auto* const numbers = device_room<float>(4096, 0);
  auto* const sums = device_room<float>(1 << 22);
  auto* const out = device_room<unsigned>(1 << 22);
  const int all = sm_count();
  std::printf("cycles_each,ffmas,trips,warps,blocks_at_once,waves,sms,sm_cycles,warp_cycles");
  for (int p = 1; p <= pieces; ++p)
    std::printf(",piece%d", p);
  std::printf("\n");
  all_lengths<1>(numbers, out, sums, all);
  all_lengths<2>(numbers, out, sums, all);
  all_lengths<4>(numbers, out, sums, all);
  all_lengths<0>(numbers, out, sums, all);
  return 0;
}
