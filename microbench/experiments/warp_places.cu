// Which scheduler the warps of a block sit on (%warpid modulo 4), by the order in which an SM gets its
// blocks, and when these begin. Blocks stay for 4000 to 16000 cycles, at random, so that they do not end in
// the order in which they came. CSV to standard output: of the first warp of the blocks of two SMs its place,
// and clocks when it begins and ends.
//   few: 14 registers a thread, `resident` blocks at once by shared memory
//   many: 211, of which a scheduler's file holds two warps; resident 0: as many as there is room for
//   cluster, many_cluster: the same in clusters of two
//   nvcc -O3 -arch=sm_90a -o warp_places warp_places.cu && ./warp_places
#include <cstdio>

#include "experiment.hpp"

// 1 to 4 times `unit` cycles, at random.
__device__ __forceinline__ unsigned stay_of(unsigned block, unsigned unit) {
  unsigned h = block * 2654435761U;
  h ^= h >> 15;
  h *= 2246822519U;
  h ^= h >> 13;
  return unit + (h >> 8) % (3 * unit);
}

template <int registers>
__global__ void __launch_bounds__(registers > 32 ? 256 : 512)
    places(unsigned* out, const float* numbers, float* sums, unsigned unit) {
  const unsigned begin = now();
  float x[registers];
  if (registers > 1) {
#pragma unroll
    for (int i = 0; i < registers; ++i)
      asm volatile("ld.global.f32 %0, [%1];" : "=f"(x[i]) : "l"(numbers + i));
  }
  const unsigned stay = stay_of(blockIdx.x, unit);
  while (now() - begin < stay) {
  }
  if (registers > 1) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < registers; ++i)
      asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(sum) : "f"(x[i]));
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  }
  if (threadIdx.x % 32) return;
  const unsigned sm = sm_id(), place = warp_place();
  unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 4;
  to[0] = sm, to[1] = place, to[2] = begin, to[3] = now();
}

void print(const char* what, int threads, int resident, const unsigned* out, int blocks) {
  const int warps = threads / 32;
  const auto rows = to_host(out, static_cast<std::size_t>(blocks) * warps * 4);
  for (int s = 0; s < 2; ++s)
    rows_of_sm(rows, 4, rows[static_cast<std::size_t>(s * 13) * warps * 4],
               [&](int i, const unsigned* row, unsigned zero) {
                 if (i % warps) return;
                 std::printf("%s,%d,%d,%u,%d,%u,%d,%d\n", what, threads, resident, row[0], i / warps, row[1],
                             static_cast<int>(row[2] - zero), static_cast<int>(row[3] - zero));
               });
}

template <int registers>
void run(const char* what, int threads, int resident, int cluster, int blocks_an_sm, unsigned* out,
         const float* numbers, float* sums, int sms) {
  constexpr int most = 227 * 1024;
  const int blocks = sms * blocks_an_sm;
  allow_shared(places<registers>, most);
  const Grid grid{blocks, threads, resident > 0 ? most / resident / 1024 * 1024 - 1024 : 0,
                  cluster > 1 ? cluster : 0};
  for (int time = 0; time < 2; ++time)
    launch_grid(places<registers>, grid, out, numbers, sums, 4000U);
  print(what, threads, resident, out, blocks);
}

int main() {
  const int sms = sm_count();
  auto* const numbers = device_room<float>(4096, 0);
  auto* const sums = device_room<float>(1 << 24);
  auto* const out = device_room<unsigned>(1 << 24);
  std::printf("what,threads,resident,sm,block,place,begin,end\n");
  for (const int threads : {32, 64, 96, 128, 160, 192})
    for (const int resident : {2, 3, 4, 5, 7})
      run<1>("few", threads, resident, 1, 4 * resident, out, numbers, sums, sms);
  for (const int threads : {32, 64, 96})
    run<200>("many", threads, 0, 1, 32, out, numbers, sums, sms);
  for (const int threads : {32, 64})
    for (const int resident : {3, 5})
      run<200>("many", threads, resident, 1, 32, out, numbers, sums, sms);
  for (const int threads : {32, 64})
    for (const int resident : {3, 5}) {
      run<1>("cluster", threads, resident, 2, 4 * resident, out, numbers, sums, sms);
    }
  run<200>("many_cluster", 64, 0, 2, 16, out, numbers, sums, sms);
  return 0;
}
