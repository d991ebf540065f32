// What a kernel's first reads of its parameters take, of lines of 64 bytes of the constant bank, in replays
// of a graph whose nodes have parameters of their own: cycles of one warp from one stamp to the next, between
// which it reads one more line; and how much later the later warps of a block begin. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -std=c++17 -cudart static -o first_constants first_constants.cu
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

constexpr int lines = 8, words = 16 * lines;
struct Parameters {
  int v[words];
};

__device__ __forceinline__ unsigned stamp() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}

// Each line's word decides whether the warp goes on: no read is moved before the one that it follows.
__global__ void __launch_bounds__(1024, 1) reads(unsigned* out, const __grid_constant__ Parameters p) {
  unsigned t[lines + 1];
  t[0] = stamp();
#pragma unroll
  for (int l = 0; l < lines; ++l) {
    if (static_cast<unsigned>(p.v[16 * l + 8]) == t[l]) {
      out[0] = l;
      return;
    }
    t[l + 1] = stamp();
  }
  if (threadIdx.x % 32 == 0) {
    unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * (lines + 1);
    for (int l = 0; l <= lines; ++l)
      to[l] = t[l];
  }
}

int main() {
  unsigned* out;
  CHECK(cudaMalloc(&out, 132 * 4 * 32 * (lines + 1) * 4));
  std::printf("nodes,blocks,warps,warp,begins,line1,line2,line3,line4,line5,line6,line7,line8\n");
  for (const int nodes : {1, 2, 20})
    for (const int blocks : {132, 264})
      for (const int warps : {1, 2, 4, 8, 16, 32}) {
        if (blocks * warps > 132 * 32) continue;
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int n = 0; n < nodes; ++n) {
          Parameters p;
          for (int i = 0; i < words; ++i)
            p.v[i] = -1 - n;
          reads<<<blocks, 32 * warps, 0, stream>>>(out, p);
        }
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        for (int i = 0; i < 5; ++i) {
          CHECK(cudaGraphLaunch(executable, stream));
          CHECK(cudaStreamSynchronize(stream));
        }
        std::vector<unsigned> h(static_cast<std::size_t>(blocks) * warps * (lines + 1));
        CHECK(cudaMemcpy(h.data(), out, 4 * h.size(), cudaMemcpyDeviceToHost));
        for (const int w : {0, warps / 2, warps - 1}) {
          if (w > 0 && warps < 4) continue;
          std::printf("%d,%d,%d,%d", nodes, blocks, warps, w);
          for (int l = -1; l < lines; ++l) {
            std::vector<int> v;
            for (int b = 0; b < blocks; ++b) {
              const unsigned* const of = &h[(static_cast<std::size_t>(b) * warps + w) * (lines + 1)];
              const unsigned first = h[static_cast<std::size_t>(b) * warps * (lines + 1)];
              v.push_back(static_cast<int>(l < 0 ? of[0] - first : of[l + 1] - of[l]));
            }
            std::sort(v.begin(), v.end());
            std::printf(",%d", v[v.size() / 2]);
          }
          std::printf("\n");
        }
        CHECK(cudaGraphExecDestroy(executable));
        CHECK(cudaGraphDestroy(graph));
        CHECK(cudaStreamDestroy(stream));
      }
  return 0;
}
