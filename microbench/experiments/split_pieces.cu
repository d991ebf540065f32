// As split_stores.cu, for pieces of 128 bytes to 1 KiB that a warp stores 4 (or 16) bytes a lane:
// neighbouring pieces meet `offset` bytes behind a line's begin, and odd warps store theirs `lag` planes
// later. CSV to standard output: bytes/s (each byte once), of the median of 5 launches.
//   nvcc -O3 -arch=sm_90a -o split_pieces split_pieces.cu && ./split_pieces
#include <cstdio>

#include "experiment.hpp"

template <int width>
__global__ void write(char* data, int planes, int lag, int offset, int piece, long long plane_bytes) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  char* const own =
      data + (static_cast<long long>(blockIdx.x) * warps + warp) * piece + offset + lane * width;
  const int late = warp % 2 == 1 ? lag : 0;
  for (int p = 0; p < planes + lag; ++p) {
    const int plane = p - late;
    if (plane >= 0 && plane < planes)
      for (int at = 0; at < piece; at += 32 * width) {
        char* const to = own + plane * plane_bytes + at;
        if constexpr (width == 4)
          *reinterpret_cast<float*>(to) = p;
        else
          *reinterpret_cast<float4*>(to) = make_float4(p, lane, warp, 1);
      }
    __syncthreads();
  }
}

int main() {
  const long long footprint = 512LL << 20;
  auto* const data = device_room<char>(footprint + (64 << 20));
  CHECK(cudaMemset(data, 0, footprint));
  std::printf("width,warps,blocks,piece,offset,lag,distance_bytes,bytes_per_s\n");
  for (const int width : {4, 16})
    for (const int warps : {4, 16})
      for (const int resident : {1, 2, 4, 8})
        for (const int piece : {128, 256, 512, 1024})
          for (const int offset : {0, 8, 16, 32})
            for (const int lag : {0, 1, 2, 4, 8, 16, 32}) {
              if (warps * resident > 32 || warps * resident < 8) continue;
              if (piece < 32 * width || (offset % width) != 0) continue;
              if ((offset == 0 || offset == 32) && lag != 0 && lag != 4) continue;
              const int blocks = 132 * resident;
              const long long plane = static_cast<long long>(blocks) * warps * piece;
              const int planes = static_cast<int>(footprint / plane);
              const auto us = times_us(1, 5, [&] {
                if (width == 4)
                  write<4><<<blocks, 32 * warps>>>(data, planes, lag, offset, piece, plane);
                else
                  write<16><<<blocks, 32 * warps>>>(data, planes, lag, offset, piece, plane);
              });
              const double bytes = static_cast<double>(planes) * blocks * warps * piece;
              std::printf("%d,%d,%d,%d,%d,%d,%lld,%.4g\n", width, warps, blocks, piece, offset, lag,
                          static_cast<long long>(lag) * blocks * warps * piece, bytes / (us[2] * 1e-6));
            }
}
