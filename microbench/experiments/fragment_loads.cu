// What 128-bit shared loads take beside FFMAs, in the patterns of products' fragments. Loads: a, four words
// of 16 bytes a warp, eight lanes beside each other one; b, eight words, lane % 8; c, 32 words. One block.
// CSV to standard output: cycles of a group of all warps of a scheduler, the least of three runs.
// - fragment_loads.csv: groups of up to four loads and `ffmas` FFMAs, each of a word that was loaded four
// loads
//   before; all loads of a group before its first FFMA (`together`) or spread among them.
// - fragment_loads_apart.csv, with any argument: `loading` warps of a scheduler have four FFMAs a load,
// `adding`
//   others FFMAs that wait for each other (one in four cycles each); `schedulers` says in which, in
//   hexadecimal: bit i, scheduler i has loading warps; bit 4 + i, adding ones. nvcc -O3 -std=c++17
//   -arch=sm_90a -o fragment_loads fragment_loads.cu && ./fragment_loads [apart]
#include <algorithm>
#include <cstdio>
#include <string>

#include "experiment.hpp"

constexpr int loads_at_once = 8, groups = 24, words_shared = 512;

// Loads of a group as digits of base 4, the first one lowest: 1 a, 2 b, 3 c.
__host__ __device__ constexpr int loads_of(int pattern) {
  return pattern ? 1 + loads_of(pattern / 4) : 0;
}

struct State {
  unsigned from[4];
  float result[loads_at_once][4], sum[16], y[4];
};

__device__ __forceinline__ State begin_with(const float* numbers, float* words) {
  for (int i = threadIdx.x; i < words_shared; i += blockDim.x)
    words[i] = numbers[i % 32];
  const unsigned lane = threadIdx.x % 32, shared = shared_address(words);
  State s{.from = {shared, shared + lane / 8 * 16, shared + lane % 8 * 16, shared + lane * 16}};
  for (int i = 0; i < 4; ++i)
    s.y[i] = numbers[i + 4];
  for (int i = 0; i < 16; ++i)
    s.sum[i] = numbers[i + 8];
  for (int i = 0; i < loads_at_once; ++i)
    for (int k = 0; k < 4; ++k)
      s.result[i][k] = numbers[i + k];
  return s;
}

// Load l of group g.
template <int pattern>
__device__ __forceinline__ void load(State& s, int g, int l) {
  auto& to = s.result[(g * loads_of(pattern) + l) % loads_at_once];
  asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
               : "r"(s.from[pattern >> 2 * l & 3]));
}

__device__ __forceinline__ float total(const State& s) {
  float all = 0;
  for (const float sum : s.sum)
    all += sum;
  for (const auto& result : s.result)
    for (const float x : result)
      all += x;
  return all;
}

template <int pattern, int ffmas, bool together>
__global__ void __launch_bounds__(512, 1) mix(const float* numbers, const float*, float* out, int rounds) {
  __shared__ __align__(16) float words[words_shared];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  State s = begin_with(numbers, words);
  __syncthreads();
  const unsigned begin = now();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      constexpr int loads = loads_of(pattern);
#pragma unroll
      for (int l = 0; l < (together ? loads : 0); ++l)
        load<pattern>(s, g, l);
#pragma unroll
      for (int f = 0; f < ffmas; ++f) {
        if (!together && f * loads % ffmas < loads) load<pattern>(s, g, f * loads / ffmas);
        const auto& from_load = s.result[(g * loads + f * loads / ffmas + loads_at_once / 2) % loads_at_once];
        const int at = (g * ffmas + f) % 16;
        asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                     : "+f"(s.sum[at])
                     : "f"(from_load[f % 4]), "f"(s.y[at / 4]));
      }
    }
  }
  const unsigned end = now();
  if (lane == 0) {
    auto* const notes = reinterpret_cast<unsigned*>(out) + warp * 2;
    notes[0] = begin, notes[1] = end;
  }
  out[1 + threadIdx.x + 256] = total(s);
}

// Loads by some warps, FFMAs by others, until those are done.
template <int pattern>
__global__ void __launch_bounds__(1024, 1)
    apart(const float* numbers, float* out, int rounds, unsigned schedulers, int loading) {
  __shared__ __align__(16) float words[words_shared];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool loads_here = (schedulers >> warp % 4 & 1) != 0 && warp / 4 < loading;
  const bool adds_here = !loads_here && (schedulers >> (4 + warp % 4) & 1) != 0 && warp / 4 >= loading;
  State s = begin_with(numbers, words);
  volatile __shared__ int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  const unsigned begin = now();
  if (loads_here) {
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        constexpr int loads = loads_of(pattern);
#pragma unroll
        for (int l = 0; l < loads; ++l) {
          load<pattern>(s, g, l);
          const auto& from_load = s.result[(g * loads + l + loads_at_once / 2) % loads_at_once];
#pragma unroll
          for (int f = 0; f < 4; ++f)
            asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                         : "+f"(s.sum[4 * (l % 4) + f])
                         : "f"(from_load[f]), "f"(s.y[f]));
        }
      }
    }
    if (lane == 0) done = 1;
  } else if (adds_here) {
    do {
#pragma unroll
      for (int f = 0; f < 512; ++f)
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(s.sum[0]) : "f"(s.y[0]), "f"(s.y[1]));
    } while (!done);
  }
  const unsigned end = now();
  if (lane == 0) {
    auto* const notes = reinterpret_cast<unsigned*>(out) + warp * 3;
    notes[0] = begin, notes[1] = end, notes[2] = loads_here;
  }
  out[1024 + threadIdx.x] = total(s);
}

struct Room {
  const float* numbers;
  float* out;
};

std::string name_of(int pattern) {
  std::string name;
  for (; pattern; pattern /= 4)
    name += " abc"[pattern % 4];
  return name.empty() ? "-" : name;
}

template <int pattern, int ffmas, bool together>
void measure(const Room& room) {
  for (int warps = 4; warps <= 16; warps *= 2) {
    const auto kernel = mix<pattern, ffmas, together>;
    const auto least = [&](int rounds) {
      return least_of_warps(warps, room.out,
                            [&] { kernel<<<1, warps * 32>>>(room.numbers, room.numbers, room.out, rounds); });
    };
    const unsigned few = least(16), many = least(48);
    std::printf("%s,%d,%d,%d,%.3f\n", name_of(pattern).c_str(), ffmas, together, warps,
                (many - few) / (32.0 * groups));
  }
  std::fflush(stdout);
}

template <int pattern, int... ffmas>
void patterns(const Room& room) {
  (measure<pattern, ffmas, true>(room), ...);
  if constexpr (loads_of(pattern) > 1) (measure<pattern, ffmas, false>(room), ...);
}

template <int pattern>
void measure_apart(const Room& room) {
  for (const unsigned schedulers : {0xffU, 0xc3U, 0xf1U, 0x11U, 0xe1U})
    for (const int loading : {2, 4})
      for (int adding = 0; adding <= 3; ++adding) {
        const int warps = 4 * (loading + adding);
        const auto cycles = [&](int rounds) {
          unsigned least = ~0U;
          for (int i = 0; i < 4; ++i) {
            apart<pattern><<<1, warps * 32>>>(room.numbers, room.out, rounds, schedulers, loading);
            const auto notes = to_host(reinterpret_cast<const unsigned*>(room.out), warps * 3);
            unsigned most = 0;
            for (int w = 0; w < warps; ++w)
              if (notes[3 * w + 2]) most = std::max(most, notes[3 * w + 1] - notes[3 * w]);
            if (i > 0) least = std::min(least, most);
          }
          return least;
        };
        std::printf("%s,%x,%d,%d,%.3f\n", name_of(pattern).c_str(), schedulers, loading, adding,
                    (cycles(48) - cycles(16)) / (32.0 * groups));
      }
  std::fflush(stdout);
}

int main(int argc, char**) {
  auto* const numbers = device_room<float>(4096, 1);
  auto* const out = device_room<float>(65536);
  const Room room{numbers, out};
  constexpr int a = 1, b = 2, c = 3;
  if (argc > 1) {
    std::printf("loads,schedulers,loading,adding,cycles\n");
    measure_apart<a>(room), measure_apart<b>(room), measure_apart<c>(room), measure_apart<a + 4 * b>(room);
    measure_apart<a + 4 * b + 16 * b>(room), measure_apart<a + 4 * a + 16 * b>(room);
    measure_apart<a + 4 * c>(room);
    return 0;
  }
  std::printf("loads,ffmas,together,warps,cycles\n");
  patterns<0, 8, 16, 32>(room);
  patterns<a, 4, 6, 8, 12, 16, 24, 32>(room);
  patterns<b, 4, 6, 8, 12, 16, 24, 32>(room);
  patterns<c, 4, 6, 8, 12, 16, 24, 32>(room);
  patterns<a + 4 * b, 8, 12, 16, 20, 24, 32, 48>(room);
  patterns<a + 4 * b + 16 * b, 12, 16, 24, 32, 40, 48>(room);
  patterns<a + 4 * a + 16 * b, 12, 16, 24, 32, 40, 48>(room);
  patterns<a + 4 * a + 16 * b + 64 * b, 16, 24, 32, 48, 64>(room);
}
