// What reaches DRAM of sets that kernels write, read or copy again and again, by a profiler; of each, the
// last of four launches counts. Built and run by itself:
//   nvcc -O3 -arch=sm_90a l2_again_and_again.cu -o again && ncu --cache-control none --clock-control none
//   --replay-mode application
//     --metrics dram__bytes_read.sum,dram__bytes_write.sum ./again
#include <cstdio>
#include <vector>
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
  float4 *a, *b;
  cudaMalloc(&a, 160 << 20);
  cudaMalloc(&b, 160 << 20);
  cudaMemset(a, 1, 160 << 20);
  for (double m : mb) {
    const size_t n = (size_t)(m * 1e6 / 16);
    for (int i = 0; i < 4; ++i)
      write_set<<<1056, 256>>>(a, n);
    for (int i = 0; i < 4; ++i)
      write_set_evict_first<<<1056, 256>>>(a, n);
    for (int i = 0; i < 4; ++i)
      read_set<<<1056, 256>>>(a, (float*)b, n);
    for (int i = 0; i < 4; ++i)
      copy_set<<<1056, 256>>>(a, b, n / 2);  // footprint of both: m
    fprintf(stderr, "%g\n", m);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
