// How many memory instructions of each kind a warp issues in a row before it waits, while warps of the other
// three schedulers have filled the SM's memory queue, some places of it or none. CSV to standard output.
// - busy: shared loads of each of these, each into registers of its own, all lanes in one bank (32 cycles of
//   the pipe each), begun 300 cycles sooner
// - accesses: of one warp, in a row
// - cycles: from before the first until the last has been issued, mean of six times
//
// nvcc -O3 -std=c++17 -arch=sm_90a -o queue_places queue_places.cu && ./queue_places
#include <cstdio>
#include <utility>

#include "experiment.hpp"
#include "queued_accesses.hpp"

constexpr int warps = 4, times = 6, first_times = 2, most_busy = 16, most_accesses = 24;

template <int what>
constexpr bool loads = what == lds4 || what == lds16 || what == ldg4 || what == ldg16;

template <int what, int accesses>
__global__ void __launch_bounds__(32 * warps, 1) fill(float* data, unsigned* cycles, int busy) {
  __shared__ __align__(16) float words[8192];
  for (int i = threadIdx.x; i < 8192; i += 32 * warps)
    words[i] = 0;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned shared = shared_address(words) + lane * 16;
  const auto global = reinterpret_cast<unsigned long long>(data + lane * 4);
  unsigned sum = 0;
  Words stored;
  for (int i = 0; i < 4; ++i)
    stored[i] = data[4 * lane + i];
#pragma unroll 1
  for (int r = 0; r < first_times + times; ++r) {
    __syncthreads();
    if (warp > 0) {
      sum += keep_busy<most_busy>(shared_address(words) + lane * 128, busy);
    } else {
      const unsigned start = now();
      while (now() - start < 300) {
      }
      // Each load has registers of its own; stores share theirs.
      Words v[loads<what> ? accesses : 1];
      const unsigned begin = now();
#pragma unroll
      for (int k = 0; k < accesses; ++k)
        access<what>(shared, global, loads<what> ? v[loads<what> ? k : 0] : stored);
      const unsigned end = now();
      if (r >= first_times) sum += end - begin;
      if constexpr (loads<what>) {
#pragma unroll
        for (int k = 0; k < accesses; ++k)
          sum += (v[k][0] == 77) + (what == lds16 || what == ldg16 ? v[k][3] == 77 : 0);
      }
    }
    asm volatile("cp.async.wait_all;");
  }
  if (threadIdx.x == 0) *cycles = sum;
}

template <int what, int accesses>
void measure(float* data, unsigned* cycles) {
  for (const int busy : {0, 4, 6, 8, most_busy}) {
    for (int i = 0; i < 2; ++i)  // the first one brings the code
      fill<what, accesses><<<1, 32 * warps>>>(data, cycles, busy);
    std::printf("%s,%d,%d,%.1f\n", names[what], busy, accesses,
                static_cast<double>(to_host(cycles, 1)[0]) / times);
  }
}

template <int what, int... at>
void measure_each(float* data, unsigned* cycles, std::integer_sequence<int, at...>) {
  (measure<what, at + 1>(data, cycles), ...);
}

template <int... what>
void measure_all(float* data, unsigned* cycles, std::integer_sequence<int, what...>) {
  (measure_each<what>(data, cycles, std::make_integer_sequence<int, most_accesses>{}), ...);
}

int main() {
  float* const data = device_room<float>(1 << 20, 0);
  unsigned* const cycles = device_room<unsigned>(64);
  std::printf("what,busy,accesses,cycles\n");
  measure_all(data, cycles, std::make_integer_sequence<int, cp16_past_l1 + 1>{});
}
