// Stores as chang_single's blocks make them, without what they compute: block (x, y) of a grid stores its
// part y of each of its share x of M planes. A warp has units of 128 words (16 bytes a lane) and stores a unit of
// one plane after the other (`planes_first`), or all its units of a plane before the next plane; `wait` cycles
// between two stores of a warp stand for the computation. `cs`: evict first (st.cs). CSV to standard output:
// microseconds a launch in replays of a graph, and terabytes a second of what is stored.
//   nvcc -O3 -arch=sm_90a -std=c++17 -cudart static -o plane_stores plane_stores.cu && ./plane_stores
#include <cstdio>
#include <cstdlib>

#include "check.hpp"

template <bool cs>
__global__ void store(float* data, int planes, long long plane, int block_planes, int block_words, bool planes_first,
                      int wait) {
  extern __shared__ float room[];
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long long first = static_cast<long long>(blockIdx.y) * block_words;
  const long long end = first + block_words < plane ? first + block_words : plane;
  const int m0 = blockIdx.x * block_planes, m1 = min(planes, m0 + block_planes);
  const int units = static_cast<int>((end - first + 127) / 128);
  const int of_warp = (units - warp + warps - 1) / warps;
  const int stores = of_warp * (m1 - m0);
  for (int n = 0; n < stores; ++n) {
    const int m = planes_first ? m0 + n % (m1 - m0) : m0 + n / of_warp;
    const int unit = warp + warps * (planes_first ? n / (m1 - m0) : n % of_warp);
    const long long at = first + unit * 128LL + lane * 4;
    if (wait > 0) {
      const int until = static_cast<int>(clock()) + wait;
      while (static_cast<int>(clock()) - until < 0) {
      }
    }
    if (at + 4 <= end) {
      float4* const to = reinterpret_cast<float4*>(data + m * plane + at);
      const float4 value = make_float4(1, 2, 3, static_cast<float>(n));
      if (cs)
        __stcs(to, value);
      else
        *to = value;
    }
  }
  if (planes < 0) room[0] = 1;
}

int main() {
  float* data;
  CHECK(cudaMalloc(&data, 1LL << 28));
  cudaStream_t stream;
  cudaEvent_t begin, end;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::printf("plane,planes,grid_m,rows,threads,blocks_per_sm,planes_first,wait,cs,us,tb_per_s\n");
  struct Map {
    int width, planes;
  };
  for (const Map map : {Map{1020, 32}, Map{1024, 32}, Map{508, 32}})
    for (const int grid_m : {1, 4})
      for (const int rows : {1, 2, 4, 8})
        for (const int threads : {128, 256, 512})
          for (const int resident : {1, 2, 4})
            for (const bool planes_first : {true, false})
              for (const int wait : {0, 400, 1600})
                for (const bool cs : {true, false}) {
                  if (!cs && (grid_m > 1 || wait == 1600)) continue;
                  if (map.width != 1020 && (wait > 0 || grid_m > 1 || rows == 8)) continue;
                  if (resident * threads < 256 || resident * threads > 1024) continue;
                  const long long plane = static_cast<long long>(map.width) * map.width;
                  const int block_planes = map.planes / grid_m;
                  const dim3 grid(grid_m, (map.width + rows - 1) / rows);
                  const int shared = resident == 1 ? 120000 : resident == 2 ? 100000 : 50000;
                  auto* const kernel = cs ? store<true> : store<false>;
                  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
                  cudaGraph_t graph;
                  cudaGraphExec_t run;
                  const int launches = 12;
                  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
                  for (int n = 0; n < launches; ++n)
                    kernel<<<grid, threads, shared, stream>>>(data, map.planes, plane, block_planes, rows * map.width,
                                                              planes_first, wait);
                  CHECK(cudaStreamEndCapture(stream, &graph));
                  CHECK(cudaGraphInstantiate(&run, graph, 0));
                  float best = 1e9f;
                  for (int time = 0; time < 3; ++time) {
                    CHECK(cudaEventRecord(begin, stream));
                    CHECK(cudaGraphLaunch(run, stream));
                    CHECK(cudaEventRecord(end, stream));
                    CHECK(cudaEventSynchronize(end));
                    float ms;
                    CHECK(cudaEventElapsedTime(&ms, begin, end));
                    best = ms < best ? ms : best;
                  }
                  const double us = 1e3 * best / launches;
                  std::printf("%lld,%d,%d,%d,%d,%d,%d,%d,%d,%.2f,%.3f\n", plane, map.planes, grid_m, rows, threads,
                              resident, planes_first, wait, cs, us, 4.0 * plane * map.planes / us / 1e6);
                  CHECK(cudaGraphExecDestroy(run));
                  CHECK(cudaGraphDestroy(graph));
                }
  return 0;
}
