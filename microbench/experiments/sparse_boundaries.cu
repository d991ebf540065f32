// What a sector costs DRAM whose halves are written apart, by how much is written between two of them: pieces
// of so many bytes side by side, each written by one warp, 512 bytes a store, from `behind` bytes behind a
// line on; every second piece is written `lag` turns of all warps later (-1: never). CSV to standard output:
// bytes a second of a launch in replays of a graph. With an argument all of it is to be evicted first
// (st.cs).
//   nvcc -O3 -arch=sm_90a -o sparse_boundaries sparse_boundaries.cu && ./sparse_boundaries
#include <cstdio>

#include "experiment.hpp"

template <bool first_out>
__global__ void pieces(float* out, int words, int turns, int lag) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const float4 v = make_float4(lane, warp, words, lag);
  const auto write = [&](int turn, int half) {
    const size_t pair = ((size_t)turn * gridDim.x + blockIdx.x) * warps + warp;
    float* const to = out + (2 * pair + half) * words + 4 * lane;
    for (int at = 0; at < words; at += 128)
      if (first_out)
        __stcs(reinterpret_cast<float4*>(to + at), v);
      else
        *reinterpret_cast<float4*>(to + at) = v;
  };
  const int behind = lag < 0 ? 0 : lag;
  for (int turn = 0; turn < turns + behind; ++turn) {
    if (turn < turns) write(turn, 0);
    if (lag >= 0 && turn >= lag) write(turn - lag, 1);
    __syncthreads();
  }
}

int main(int argc, char**) {
  const auto kernel = argc > 1 ? pieces<true> : pieces<false>;
  const int sms = sm_count();
  auto* const out = device_room<float>(640 << 20);
  std::printf("warps,blocks,piece,lag,distance_bytes,behind,us,bytes_per_s\n");
  for (const int warps : {4, 16})
    for (const int each : {1, 4})
      for (const int piece : {512, 1024, 2048, 4096, 8192, 16384}) {
        const int blocks = each * sms;
        const double turn = 2.0 * piece * warps * blocks;  // bytes, both halves
        const int turns = (int)(5.12e8 / turn);
        if (turns < 4) continue;
        int last = -2;
        for (const double apart : {0., 1e6, 2e6, 4e6, 8e6, 16e6, 32e6, 64e6, 128e6, -1.}) {
          const int lag = apart < 0 ? -1 : (int)(apart / turn + 0.5);
          if (lag == last || lag > turns) continue;
          last = lag;
          for (const int behind : {0, 16, 32}) {
            const double us = graph_time_us(3, 3, [&](cudaStream_t s) {
              kernel<<<blocks, 32 * warps, 0, s>>>(out + behind / 4, piece / 4, turns, lag);
            });
            std::printf("%d,%d,%d,%d,%.0f,%d,%.2f,%.4g\n", warps, blocks, piece, lag, lag * turn, behind, us,
                        turn * turns * (lag < 0 ? 0.5 : 1) / us * 1e6);
          }
        }
      }
  return 0;
}
