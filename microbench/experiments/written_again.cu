// What reaches DRAM of a set about as large as L2 keeps, when kernels write it again and again: whole lines,
// or rows of words that begin inside lines (504) or sectors (510, and 8 bytes behind), each by other blocks
// or strips of rows by one; the threads wait so many cycles behind each store. By a profiler, mean of the
// last six of ten launches.
//   nvcc -O3 -arch=sm_90a -o written_again written_again.cu
//   m=dram__bytes_write.sum,gpu__time_duration.sum
//   ncu --csv --page raw --cache-control none --clock-control none --metrics $m ./written_again > profile.csv
// The program's own output on stderr names the launches in order.
#include <cstdio>

#include "experiment.hpp"

__device__ void wait(int cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}
__global__ void words(float* to, size_t n, int cycles) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    to[i] = (float)i;
    if (cycles) wait(cycles);
  }
}
__global__ void rows(float* to, size_t n, int width, int cycles) {
  for (size_t row = blockIdx.x; row < n / width; row += gridDim.x)
    for (int x = threadIdx.x; x < width; x += blockDim.x) {
      to[row * width + x] = (float)x;
      if (cycles) wait(cycles);
    }
}
__global__ void strips(float* to, size_t n, int width,
                       int cycles) {  // of each of 32 maps' rows, a strip a block
  const int all = (int)(n / width / 32), strip = (all + gridDim.x - 1) / gridDim.x;
  for (int m = 0; m < 32; ++m)
    for (int y = blockIdx.x * strip; y < min(all, (int)(blockIdx.x + 1) * strip); ++y)
      for (int x = threadIdx.x; x < width; x += blockDim.x) {
        to[((size_t)m * all + y) * width + x] = (float)x;
        if (cycles) wait(cycles);
      }
}
int main() {
  constexpr int launches = 10;
  auto* const a = device_room<float>(160 << 20, 1);
  const auto said = [](const char* form, int width, int blocks, int cycles, double mb) {
    std::fprintf(stderr, "%s,%d,%d,%d,%.0f\n", form, width, blocks, cycles, mb * 1e6);
  };
  for (double mb : {20., 24., 26., 28., 30., 31., 32., 33.3, 35., 36., 38., 40., 44., 50.}) {
    const size_t n = (size_t)(mb * 1e6 / 4);
    for (int blocks : {1056, 132}) {
      const int threads = blocks == 132 ? 512 : 256;
      for (int cycles : {0, 200, 400, 800}) {
        for (int i = 0; i < launches; ++i)
          words<<<blocks, threads>>>(a, n, cycles);
        said("words", 0, blocks, cycles, mb);
        for (int i = 0; i < launches; ++i)
          words<<<blocks, threads>>>(a + 2, n, cycles);
        said("words 8 bytes behind", 0, blocks, cycles, mb);
        for (int width : {512, 504, 510}) {
          for (int i = 0; i < launches; ++i)
            rows<<<blocks, threads>>>(a, n, width, cycles);
          said("rows", width, blocks, cycles, mb);
        }
      }
    }
    for (int width : {512, 504, 510}) {
      for (int i = 0; i < launches; ++i)
        strips<<<132, 512>>>(a, n, width, 0);
      said("strips", width, 132, 0, mb);
    }
  }
  CHECK(cudaDeviceSynchronize());
}
