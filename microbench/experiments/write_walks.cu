// How fast DRAM takes or gives whole lines by the order of the walk: the warps of all SMs write or read
// pieces of so many bytes, 512 bytes each, of `planes` planes in turn (1: all in a row), so many times in one
// launch. CSV to standard output: microseconds of a launch in replays of a graph.
//   nvcc -O3 -arch=sm_90a -o write_walks write_walks.cu && ./write_walks
#include <cstdio>

#include "experiment.hpp"

enum Access { write, write_first_out, read };

template <Access access>
__global__ void walk(float4* out, size_t bytes, int piece, int planes, int passes) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const size_t plane = bytes / planes, pieces = bytes / piece;
  const int in_piece = piece / 512;
  // Warps side by side have the stores of a piece, or pieces side by side.
  const auto place = [&](size_t i) {
    const size_t p = i / in_piece, within = i % in_piece;
    return out + ((p % planes) * plane + (p / planes) * piece + within * 512) / 16 + lane;
  };
  const size_t end = pieces * in_piece, step = static_cast<size_t>(gridDim.x) * warps;
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass)
    for (size_t i = static_cast<size_t>(blockIdx.x) * warps + warp; i < end; i += 4 * step) {
      const float4 v = make_float4(pass, warp, lane, blockIdx.x);
      float4 in[4] = {};
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        if (i + u * step >= end) continue;
        if (access == read)
          in[u] = __ldcg(place(i + u * step));
        else if (access == write_first_out)
          __stcs(place(i + u * step), v);
        else
          *place(i + u * step) = v;
      }
      for (const float4& x : in)
        sum += x.x;
    }
  if (sum == -1) out[0].x = sum;
}

int main() {
  const int sms = sm_count();
  constexpr size_t most = size_t{1} << 30;
  auto* const out = device_room<float4>(most, 0);
  const char* const names[] = {"write", "write_first_out", "read"};
  void (*const kernels[])(float4*, size_t, int, int, int) = {walk<write>, walk<write_first_out>, walk<read>};
  std::printf("access,mb,warps,piece,planes,passes,us,tb_per_s\n");
  for (const int access : {write, write_first_out, read})
    for (const size_t bytes : {most / 8, most / 2, most})
      for (const int warps : {8, 16, 32})
        for (const int planes : {1, 4, 16, 64, 256, 1024})
          for (const int piece : {512, 4096, 32768})
            for (const int passes : {1, 4}) {
              if ((planes == 1 && piece > 512) || (planes > 1 && passes > 1)) continue;
              const double us = graph_time_us(3, 5, [&](cudaStream_t s) {
                kernels[access]<<<sms, 32 * warps, 0, s>>>(out, bytes, piece, planes, passes);
              });
              std::printf("%s,%zu,%d,%d,%d,%d,%.2f,%.3f\n", names[access], bytes >> 20, warps, piece, planes,
                          passes, us, 1e-6 * bytes * passes / us);
            }
}
