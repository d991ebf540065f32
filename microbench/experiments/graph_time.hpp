#pragma once
// For the experiments of this folder: what a launch takes among identical ones of a CUDA graph.

#include <algorithm>
#include <vector>

#include "check.hpp"

// Microseconds of one of `nodes` launches, the median of `runs` of the graph behind two more. `launch` puts
// one into the stream that it is given.
template <class Launch>
double graph_time_us(int nodes, int runs, const Launch& launch) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < nodes; ++i)
    launch(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  std::vector<double> us;
  for (int i = 0; i < runs + 2; ++i) {
    CHECK(cudaEventRecord(a, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaEventRecord(b, stream));
    CHECK(cudaStreamSynchronize(stream));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, a, b));
    if (i > 1) us.push_back(1000.0 * ms / nodes);
  }
  std::sort(us.begin(), us.end());
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(a));
  CHECK(cudaEventDestroy(b));
  CHECK(cudaStreamDestroy(stream));
  return us[us.size() / 2];
}
