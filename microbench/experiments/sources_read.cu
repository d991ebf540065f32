// When the source registers of a memory instruction have been read, while warps of other schedulers keep the
// SM's memory pipe busy: a warp does what `what` says `ahead` + 1 times in a row, then overwrites the
// registers of its address, which waits for the read barrier that all these instructions share (see the SASS;
// the clock is read behind it). CSV to standard output.
// - busy: shared loads of each of three other schedulers, each into registers of its own, all lanes in one
// bank
//   (32 cycles of the pipe each), one every 26 cycles or as soon as there is room
// - lead: cycles by which they begin sooner
// - cycles: from before the first instruction until the registers have been overwritten, mean of six times
//
// nvcc -O3 -std=c++17 -arch=sm_90a -o sources_read sources_read.cu && ./sources_read
#include <cstdio>

#include "experiment.hpp"
#include "queued_accesses.hpp"

constexpr int warps = 4, times = 6, first_times = 2, most_busy = 24;

// `step` is not known to the compiler: else it would add it to what it keeps in other registers.
template <int what, int ahead>
__global__ void __launch_bounds__(32 * warps, 1)
    read(float* data, unsigned* cycles, int busy, unsigned lead, unsigned step) {
  __shared__ __align__(16) float words[8192];
  for (int i = threadIdx.x; i < 8192; i += 32 * warps)
    words[i] = 0;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned shared = shared_address(words) + lane * 16;
  auto global = reinterpret_cast<unsigned long long>(data + lane * 4);
  unsigned sum = 0;
#pragma unroll 1
  for (int r = 0; r < first_times + times; ++r) {
    __syncthreads();
    if (warp > 0) {
      sum += keep_busy<most_busy>(shared_address(words) + lane * 128, busy);
    } else {
      const unsigned start = now();
      while (now() - start < lead) {
      }
      Words v[ahead + 1] = {};
#pragma unroll
      for (auto& words_of_one : v)
        words_of_one[0] = 1;  // what a store writes
      const unsigned begin = now();
      const unsigned to = shared;
      const unsigned long long from = global;
#pragma unroll
      for (int k = 0; k < ahead; ++k)
        access<what>(to + 16 * k, from + 512 * k, v[k]);
      access<what>(shared, global, v[ahead]);
      asm volatile("add.u32 %0, %0, %1;" : "+r"(shared) : "r"(step));
      asm volatile("add.u64 %0, %0, %1;" : "+l"(global) : "l"(static_cast<unsigned long long>(step)));
      // Whoever reads the clock next waits for these.
      asm volatile(
          "{\n.reg .pred p;\nsetp.eq.u32 p, %0, 77;\n@p trap;\nsetp.eq.u64 p, %1, 77;\n@p trap;\n}" ::"r"(
              shared),
          "l"(global));
      const unsigned end = now();
      if (r >= first_times) sum += end - begin;
#pragma unroll
      for (int k = 0; k <= ahead; ++k)
        sum += (v[k][0] == 77) + (v[k][1] == 77) + (v[k][2] == 77) + (v[k][3] == 77);
    }
    asm volatile("cp.async.wait_all;");
  }
  if (threadIdx.x == 0) *cycles = sum;
}

template <int what, int ahead>
void measure(float* data, unsigned* cycles) {
  for (const unsigned lead : {60U, 300U}) {
    for (const int busy : {0, 2, 4, 6, 8, 12, most_busy}) {
      for (int i = 0; i < 2; ++i)  // the first one brings the code
        read<what, ahead><<<1, 32 * warps>>>(data, cycles, busy, lead, 16);
      std::printf("%s,%d,%d,%u,%.1f\n", names[what], ahead, busy, lead,
                  static_cast<double>(to_host(cycles, 1)[0]) / times);
    }
  }
}
template <int what>
void measure_each(float* data, unsigned* cycles) {
  measure<what, 0>(data, cycles);
  measure<what, 1>(data, cycles);
  measure<what, 2>(data, cycles);
  measure<what, 3>(data, cycles);
  measure<what, 4>(data, cycles);
  measure<what, 5>(data, cycles);
  measure<what, 6>(data, cycles);
  measure<what, 7>(data, cycles);
  measure<what, 8>(data, cycles);
  measure<what, 9>(data, cycles);
}

int main() {
  float* const data = device_room<float>(1 << 20, 0);
  unsigned* const cycles = device_room<unsigned>(64);
  std::printf("what,ahead,busy,lead,cycles\n");
  measure_each<lds4>(data, cycles);
  measure_each<ldg16>(data, cycles);
  measure_each<stg4>(data, cycles);
  measure_each<cp4>(data, cycles);
  measure_each<cp16>(data, cycles);
  measure_each<cp16_past_l1>(data, cycles);
}
