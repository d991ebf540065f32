// What small kernels take where they have few clusters, in replays of a graph: blocks that leave at once,
// that load and store once, and that meet several times in between. CSV to standard output: microseconds from
// one kernel to the next; cycles between the time stamps of the first block's first warp (the median of the
// launches): the load, the first meeting, one of the others.
//   nvcc -O3 -arch=sm_90a -o few_clusters few_clusters.cu && ./few_clusters
#include <cstdio>

#include "experiment.hpp"

// `meetings` of the cluster's barrier, behind a load (loads = 1) or nothing.
__global__ void __launch_bounds__(256, 1)
    work(float* out, const float* in, long long* stamps, int loads, int meetings, int stores, int clocks) {
  extern __shared__ float tile[];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const long long t0 = clock64();
  float x = 0;
  if (loads) x = *const_cast<const volatile float*>(in + at);
  if (x == 1.25F) out[0] = x;
  const long long t1 = clock64();
  if (meetings) cluster_barrier();
  const long long t2 = clock64();
#pragma unroll 1
  for (int i = 1; i < meetings; ++i)
    cluster_barrier();
  const long long t3 = clock64();
  if (stores) out[at] = x;
  if (clocks && blockIdx.x == 0 && threadIdx.x == 0)
    stamps[0] = t1 - t0, stamps[1] = t2 - t1, stamps[2] = t3 - t2;
}

int main() {
  auto* const out = device_room<float>(64 << 20);
  auto* const in = device_room<float>(64 << 20, 0);
  auto* const stamps = device_room<long long>(1 << 12);
  allow_clusters(work);
  allow_shared(work, 200 << 10);
  std::printf(
      "cluster,clusters,threads,shared,loads,meetings,stores,us,load_cycles,first_meeting,next_meeting\n");
  for (const int threads : {64, 256})
    for (const int cluster : {0, 1, 2, 4, 8, 16})
      for (const int blocks : {1, 2, 4, 8, 16, 32, 64, 112})
        for (const int shared : {0, 32 << 10})
          for (const int what : {0, 1, 2, 3, 4, 5}) {
            if (cluster > 1 && blocks % cluster) continue;
            if (cluster <= 1 && what >= 2) continue;
            if (shared && (threads == 256 || what == 1)) continue;
            const int loads = what == 1 || what >= 4, stores = loads;
            const int meetings = what == 2 || what == 4 ? 1 : what == 3 || what == 5 ? 5 : 0;
            const auto launch = [&](cudaStream_t s, int clocks) {
              launch_grid(work, {blocks, threads, shared, cluster, s}, out, in, stamps, loads, meetings,
                          stores, clocks);
            };
            const double us = graph_time_us(200, 7, [&](cudaStream_t s) { launch(s, 0); });
            graph_time_us(50, 2, [&](cudaStream_t s) { launch(s, 1); });
            const auto cycles = to_host(stamps, 3);
            std::printf("%d,%d,%d,%d,%d,%d,%d,%.4f,%lld,%lld,%.1f\n", cluster,
                        cluster > 1 ? blocks / cluster : blocks, threads, shared, loads, meetings, stores, us,
                        cycles[0], cycles[1],
                        meetings > 1 ? static_cast<double>(cycles[2]) / (meetings - 1) : 0.0);
          }
}
