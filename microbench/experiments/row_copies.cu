// How fast the copies of a tile's rows pass, and whether lines that were copied from before still have a
// place in L1: in each of 220 steps every warp of a block copies eight times 4 bytes a lane, `lanes` lanes
// beside each other from each row (32 / lanes rows a copy, no two copies of a step share one), and takes the
// registers of the addresses for the next step's; then the group is committed, the fourth last is waited for,
// a barrier and, with `ffmas`, so many multiply-adds. From one step to the next each word moves on by `creep`
// floats along its row. transposed: lanes beside each other write columns. One block, 28 KB of L1, data in
// L2. CSV to standard output, means of the last 200 steps of warp 0: cycles until the registers of all its
// copies are free, and of a step; the least of three runs.
//   nvcc -O3 -arch=sm_90a -o row_copies row_copies.cu && ./row_copies
#include <cstdio>

#include "experiment.hpp"

constexpr int copies = 8, ahead = 4, steps = 220, first = 20, lanes_of_warp = 32;

template <int lanes, bool transposed>
__global__ void run(const float* data, int stride, int creep, int ffmas, long long* cycles, float* kept) {
  extern __shared__ float buffer[];
  constexpr int rows = lanes_of_warp / lanes;
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp,
            warps = blockDim.x / lanes_of_warp;
  const int pitch = rows * copies * warps + 4;  // 4 modulo 32: eight columns of four rows are in 32 banks
  const int column = lane % lanes, row = warp * rows + lane / lanes;
  const float* from[copies];
  for (int c = 0; c < copies; ++c)
    from[c] = data + static_cast<long long>(row + c * rows * warps) * stride + column;
  const unsigned to = shared_address(buffer) + 4 * (transposed ? column * pitch + row : threadIdx.x);
  const unsigned apart = 4 * (transposed ? rows : lanes_of_warp) * warps;
  float x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = static_cast<float>(threadIdx.x + i);
  long long passed = 0, begin = 0;
  for (int s = 0; s < steps; ++s) {
    if (s == first) begin = clock64(), passed = 0;
    const long long asked = clock64();
#pragma unroll
    for (int c = 0; c < copies; ++c)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + c * apart), "l"(from[c]) : "memory");
#pragma unroll
    for (int c = 0; c < copies; ++c)
      asm volatile("add.s64 %0, %0, %1;" : "+l"(from[c]) : "l"(4LL * creep) : "memory");
    passed += clock64() - asked;
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(ahead - 1) : "memory");
    __syncthreads();
    for (int f = 0; f < ffmas; f += 8)
#pragma unroll
      for (int i = 0; i < 8; ++i)
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x[i]) : "f"(1.5f));
  }
  const long long end = clock64();
  float sum = 0;
  for (const float value : x)
    sum += value;
  if (sum == 0) *kept = sum;
  if (threadIdx.x == 0) cycles[0] = end - begin, cycles[1] = passed;
}

template <int lanes, bool transposed>
void rows_of(const float* data, int most_warps, long long* cycles, float* kept) {
  const auto kernel = run<lanes, transposed>;
  allow_shared(kernel, 128 * 1024);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  for (int warps = 2; warps <= most_warps; warps *= 2)
    for (const int stride : {8, 32, 96, 160, 601, 2990, 4608, 4616, 4640, 4672})
      for (const int creep : {0, 8, 32})
        for (const int ffmas : {0, 320}) {
          const int words = transposed ? lanes * (lanes_of_warp / lanes * copies * warps + 4)
                                       : lanes_of_warp * copies * warps;
          long long passed = 0;
          const long long least = least_cycles(3, cycles, [&] {
            kernel<<<1, warps * lanes_of_warp, 4 * words>>>(data, stride, creep, ffmas, cycles, kept);
            CHECK(cudaDeviceSynchronize());
            passed = cycles[1];
          });
          constexpr double counted = steps - first;
          std::printf("%d,%d,%d,%d,%d,%d,%.1f,%.1f\n", lanes, transposed, warps, stride, creep, ffmas,
                      static_cast<double>(passed) / counted, static_cast<double>(least) / counted);
        }
}

int main() {
  const auto cycles = managed_room<long long>(2 * sizeof(long long));
  const auto kept = device_room<float>(sizeof(float));
  const auto data =
      device_room<float>(std::size_t{16 * copies * lanes_of_warp + 8} * 4700 * sizeof(float), 0);
  std::printf("lanes,transposed,warps,stride,creep,ffmas,until_registers,cycles_a_step\n");
  rows_of<32, false>(data, 16, cycles, kept);
  rows_of<16, true>(data, 16, cycles, kept);
  rows_of<8, false>(data, 16, cycles, kept);
  rows_of<8, true>(data, 16, cycles, kept);
  rows_of<4, true>(data, 16, cycles, kept);
  rows_of<1, false>(data, 16, cycles, kept);
}
