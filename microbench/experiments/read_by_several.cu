// What comes from DRAM of sets that are read again and again, each 32 KiB of them by `readers` blocks in a
// row of the grid (`far` 0) or a whole walk apart (1), by a profiler; the launches before the one that counts
// have another name.
//   nvcc -O3 -arch=sm_90a -o read_by_several read_by_several.cu
//   m=dram__bytes_read.sum,dram__bytes_write.sum
//   ncu --cache-control none --clock-control none -k regex:counted --metrics $m ./read_by_several
#include <cstdio>

#include "experiment.hpp"

__device__ void read_piece(const float4* from, float* out, int pieces, int readers, int far) {
  const int piece = far ? blockIdx.x % pieces : blockIdx.x / readers;
  const float4* const own = from + piece * 2048LL + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sum += own[i * 256].x;
  if (sum == -1) *out = sum;
}
__global__ void before(const float4* from, float* out, int pieces, int readers, int far) {
  read_piece(from, out, pieces, readers, far);
}
__global__ void counted(const float4* from, float* out, int pieces, int readers, int far) {
  read_piece(from, out, pieces, readers, far);
}

int main() {
  auto* const data = device_room<float4>(128 << 20, 0);
  auto* const out = device_room<float>(1024);
  std::printf("readers,far,bytes\n");
  for (const int readers : {1, 2, 4, 8})
    for (const int far : {0, 1}) {
      if (readers == 1 && far) continue;
      if (readers == 8 && !far) continue;
      for (const int mb : {16, 20, 24, 26, 28, 30, 32, 34, 36, 38, 40, 44, 48, 52, 56, 60, 64, 72, 80}) {
        const int pieces = mb * 1000000 / 32768;
        for (int i = 0; i < 4; ++i)
          before<<<pieces * readers, 256>>>(data, out, pieces, readers, far);
        counted<<<pieces * readers, 256>>>(data, out, pieces, readers, far);
        CHECK(cudaDeviceSynchronize());
        std::printf("%d,%d,%d\n", readers, far, pieces * 32768);
      }
    }
}
