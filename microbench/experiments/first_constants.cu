// What a kernel's first reads of its parameters take, of lines of 64 bytes of the constant bank, in replays
// of a graph whose nodes have parameters of their own: cycles of one warp from one stamp to the next, between
// which it reads one more line; and how much later the later warps of a block begin. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o first_constants first_constants.cu && ./first_constants
#include <cstdio>
#include <vector>

#include "experiment.hpp"

constexpr int lines = 8, words = 16 * lines;
struct Parameters {
  int v[words];
};

// Each line's word decides whether the warp goes on: no read is moved before the one that it follows.
__global__ void __launch_bounds__(1024, 1) reads(unsigned* out, const __grid_constant__ Parameters p) {
  unsigned t[lines + 1];
  t[0] = now();
#pragma unroll
  for (int l = 0; l < lines; ++l) {
    if (static_cast<unsigned>(p.v[16 * l + 8]) == t[l]) {
      out[0] = l;
      return;
    }
    t[l + 1] = now();
  }
  if (threadIdx.x % 32 == 0) {
    unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * (lines + 1);
    for (int l = 0; l <= lines; ++l)
      to[l] = t[l];
  }
}

int main() {
  auto* const out = device_room<unsigned>(132 * 4 * 32 * (lines + 1) * 4);
  std::printf("nodes,blocks,warps,warp,begins,line1,line2,line3,line4,line5,line6,line7,line8\n");
  for (const int nodes : {1, 2, 20})
    for (const int blocks : {132, 264})
      for (const int warps : {1, 2, 4, 8, 16, 32}) {
        if (blocks * warps > 132 * 32) continue;
        int node = 0;
        graph_times_us(nodes, 0, 5, [&](cudaStream_t stream) {
          Parameters p;
          for (int& v : p.v)
            v = -1 - node;
          reads<<<blocks, 32 * warps, 0, stream>>>(out, p);
          ++node;
        });
        const auto h = to_host(out, static_cast<std::size_t>(blocks) * warps * (lines + 1));
        bool printed = false;  // of few warps the first
        for (const int w : {0, warps / 2, warps - 1}) {
          if (warps < 4 && printed) continue;
          printed = true;
          std::printf("%d,%d,%d,%d", nodes, blocks, warps, w);
          for (int l = -1; l < lines; ++l) {
            std::vector<int> v;
            for (int b = 0; b < blocks; ++b) {
              const unsigned* const of = &h[(static_cast<std::size_t>(b) * warps + w) * (lines + 1)];
              const unsigned first = h[static_cast<std::size_t>(b) * warps * (lines + 1)];
              v.push_back(static_cast<int>(l < 0 ? of[0] - first : of[l + 1] - of[l]));
            }
            std::printf(",%d", median(v));
          }
          std::printf("\n");
        }
      }
  return 0;
}
