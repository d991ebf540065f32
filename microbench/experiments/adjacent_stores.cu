// What stores send that meet in the middle of a sector: pieces of 128 bytes, 4 a lane, `row` of them side by
// side, which begin `shift` floats behind a sector's begin. `own`: each warp stores its rows' pieces one
// after the other; `across`: the warps of a block of four take turns in a row. For each of a warp's stores
// `chain` multiply-adds that wait for each other: as compiled, all in front of a row's stores. `blocks`
// blocks of four warps an SM (`own`: of one). For the profiler: the n-th line of the output is the n-th
// launch.
//   nvcc -O3 -arch=sm_90a -o adjacent_stores adjacent_stores.cu
//   x=l1tex__m_l1tex2xbar; m=${x}_req_cycles_active.sum,${x}_write_sectors.sum,sm__cycles_active.avg
//   ncu --csv --page raw --metrics $m ./adjacent_stores
#include <cstdio>

#include "experiment.hpp"

constexpr int rows = 16, row_stride = 4096;  // floats from one of a warp's rows to its next

template <int row, int chain, bool across>
__global__ void store(float* data, int shift, float value) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int first = across ? warp : 0, step = across ? warps : 1;
  // Rows of different blocks are in lines of their own.
  float* at = data + static_cast<long long>(blockIdx.x) * rows * row_stride + shift + 32 * first + lane;
  for (int r = 0; r < rows; ++r, at += row_stride) {
#pragma unroll
    for (int piece = 0; piece < row; ++piece) {
      at[32 * piece * step] = value;
#pragma unroll
      for (int i = 0; i < chain; ++i)
        asm volatile("fma.rn.f32 %0, %0, %0, 0f3F800000;" : "+f"(value));
    }
  }
}

template <int row, int chain, bool across>
void launch(float* data) {
  for (const int sms : {1, 132})
    for (const int blocks : {1, 4, 16})
      for (const int shift : {0, 1, 4}) {
        if (across && blocks == 16) continue;  // more than L2 holds
        store<row, chain, across><<<sms * blocks, across ? 128 : 32>>>(data, shift, 1.0F);
        CHECK(cudaDeviceSynchronize());
        const int stores = sms * blocks * (across ? 4 : 1) * rows * row;
        std::printf("%s,%d,%d,%d,%d,%d,%d\n", across ? "across" : "own", row, chain, sms, blocks, shift,
                    stores);
      }
}

template <bool across>
void launch_all(float* data) {
  launch<2, 0, across>(data);
  launch<2, 8, across>(data);
  launch<2, 32, across>(data);
  launch<8, 0, across>(data);
  launch<8, 2, across>(data);
  launch<8, 4, across>(data);
  launch<8, 8, across>(data);
  launch<8, 16, across>(data);
  launch<8, 32, across>(data);
  launch<8, 64, across>(data);
}

int main() {
  auto* const data = device_room<float>(132LL * 16 * rows * row_stride * 4 + (1 << 20));
  std::printf("what,row,chain,sms,blocks,shift,stores\n");
  launch_all<false>(data);
  launch_all<true>(data);
  return 0;
}
