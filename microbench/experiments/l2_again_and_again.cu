// What reaches DRAM of sets that kernels write, read or copy again and again, by a profiler; of each, the
// last of four launches counts.
//   nvcc -O3 -arch=sm_90a -o l2_again_and_again l2_again_and_again.cu
//   m=dram__bytes_read.sum,dram__bytes_write.sum
//   ncu --cache-control none --clock-control none --replay-mode application --metrics $m ./l2_again_and_again
#include <cstdio>

#include "experiment.hpp"

__global__ void write_set(float4* to, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    to[i] = make_float4(1, 2, 3, (float)i);
}
__global__ void write_set_evict_first(float4* to, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    __stcs(to + i, make_float4(1, 2, 3, (float)i));
}
__global__ void read_set(const float4* from, float* out, size_t n) {
  float s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    s += from[i].x;
  if (s == -1) *out = s;
}
__global__ void copy_set(const float4* from, float4* to, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    to[i] = from[i];
}
int main() {
  const double mb[] = {4,  8,  10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                       30, 32, 36, 40, 44, 48, 52, 56, 64, 80, 128};
  auto* const a = device_room<float4>(160 << 20, 1);
  auto* const b = device_room<float4>(160 << 20);
  for (double m : mb) {
    const size_t n = (size_t)(m * 1e6 / 16);
    for (int i = 0; i < 4; ++i)
      write_set<<<1056, 256>>>(a, n);
    for (int i = 0; i < 4; ++i)
      write_set_evict_first<<<1056, 256>>>(a, n);
    for (int i = 0; i < 4; ++i)
      read_set<<<1056, 256>>>(a, reinterpret_cast<float*>(b), n);
    for (int i = 0; i < 4; ++i)
      copy_set<<<1056, 256>>>(a, b, n / 2);  // footprint of both: m
    std::fprintf(stderr, "%g\n", m);
  }
  CHECK(cudaDeviceSynchronize());
}
