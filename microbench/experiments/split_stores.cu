// Stores of whole units (512 bytes a warp, 16 bytes a lane, st.cs) that begin `offset` bytes behind a sector:
// neighbouring units then meet in a sector. Blocks of W warps write P planes one after the other, warp w's
// unit beside warp w - 1's, and odd warps `lag` planes later, with a barrier after each plane: so the halves
// of a sector are written `lag` x (bytes of a plane of all blocks) apart. `gap` bytes between units instead:
// nobody ever fills the halves. The footprint is 512 MiB: all goes to DRAM. CSV to standard output: bytes/s
// (each byte once), of the median of 5 launches.
//   nvcc -O3 -arch=sm_90a -o split_stores split_stores.cu && ./split_stores
#include <cstdio>

#include "experiment.hpp"

__global__ void write(char* data, int planes, int lag, int offset, int gap, long long plane_bytes) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int unit = 512 + gap;
  char* const own =
      data + static_cast<long long>(blockIdx.x) * warps * unit + warp * unit + offset + lane * 16;
  const int late = warp % 2 == 1 ? lag : 0;
  for (int p = 0; p < planes + lag; ++p) {
    const int plane = p - late;
    if (plane >= 0 && plane < planes)
      __stcs(reinterpret_cast<float4*>(own + plane * plane_bytes), make_float4(p, lane, warp, 1));
    __syncthreads();
  }
}

int main() {
  const long long footprint = 512LL << 20;
  auto* const data = device_room<char>(footprint + (64 << 20));
  CHECK(cudaMemset(data, 0, footprint));
  std::printf("warps,blocks,offset,gap,lag,distance_bytes,bytes_per_s\n");
  for (const int warps : {4, 16})
    for (const int resident : {1, 4})
      for (const int offset : {0, 16, 32, 64})
        for (const int gap : {0, 32})
          for (const int lag : {0, 1, 2, 4, 8, 16, 32, 64}) {
            if (warps * resident > 16 && resident > 4) continue;
            if ((gap > 0 || offset == 64) && lag > 0) continue;
            if (offset != 16 && lag > 8) continue;
            const int blocks = 132 * resident;
            const long long plane = static_cast<long long>(blocks) * warps * (512 + gap);
            const int planes = static_cast<int>(footprint / plane);
            const auto us =
                times_us(1, 5, [&] { write<<<blocks, 32 * warps>>>(data, planes, lag, offset, gap, plane); });
            const double bytes = static_cast<double>(planes) * blocks * warps * 512;
            std::printf("%d,%d,%d,%d,%d,%lld,%.4g\n", warps, blocks, offset, gap, lag,
                        static_cast<long long>(lag) * blocks * warps * 512, bytes / (us[2] * 1e-6));
          }
}
