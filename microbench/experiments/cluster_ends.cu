// What small kernels in clusters take where they have few blocks, in replays of a graph: blocks that leave at
// once, that load and store once, that meet at barriers of the cluster, and that do both, with 1500 cycles
// between or without. CSV to standard output: microseconds from one kernel to the next.
//   nvcc -O3 -arch=sm_90a -o cluster_ends cluster_ends.cu && ./cluster_ends
#include <cstdio>

#include "experiment.hpp"

// `first` barriers between load and store, `last` behind the store, each `stay` cycles after what comes
// before.
template <bool accesses, int first, int last, int stay>
__global__ void __launch_bounds__(1024, 1) work(float* out, const int* in) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const auto wait = [] {
    const long long begin = clock64();
    while (stay > 0 && clock64() - begin < stay) {
    }
  };
  int v = 0;
  if (accesses) v = in[at];
  if (stay > 0 && v == 1) return;  // when it has come
  wait();
#pragma unroll
  for (int i = 0; i < first; ++i)
    cluster_barrier();
  if (accesses || v == 1) out[at] = static_cast<float>(v);
  wait();
#pragma unroll
  for (int i = 0; i < last; ++i)
    cluster_barrier();
}

using Kernel = void (*)(float*, const int*);

int main() {
  auto* const out = device_room<float>(64 << 20);
  auto* const in = device_room<int>(64 << 20, 0);
  const struct {
    const char* name;
    Kernel kernel;
  } kernels[] = {{"empty", work<false, 0, 0, 0>},
                 {"load_store", work<true, 0, 0, 0>},
                 {"barrier", work<false, 1, 0, 0>},
                 {"two_barriers", work<false, 2, 0, 0>},
                 {"load_barrier_store", work<true, 1, 0, 0>},
                 {"load_store_barrier", work<true, 0, 1, 0>},
                 {"load_barrier_store_barrier", work<true, 1, 1, 0>},
                 {"stay_load_store", work<true, 0, 0, 1500>},
                 {"stay_load_barrier_store", work<true, 1, 0, 1500>},
                 {"stay_load_store_barrier", work<true, 0, 1, 1500>},
                 {"stay_load_barrier_store_barrier", work<true, 1, 1, 1500>},
                 {"stay_load_store_two_barriers", work<true, 0, 2, 1500>},
                 {"stay", work<false, 0, 0, 1500>},
                 {"stay_barrier", work<false, 0, 1, 1500>},
                 {"stay_two_barriers", work<false, 1, 1, 1500>}};
  std::printf("kernel,threads,cluster,blocks,us\n");
  for (const auto& k : kernels) {
    allow_clusters(k.kernel);
    for (const int threads : {32, 256})
      for (const int cluster : {1, 2, 4, 8, 16})
        for (const int clusters : {1, 4, 16, 64}) {
          const int blocks = cluster * clusters;
          if (blocks > 132) continue;
          const double us = graph_time_us(400, 5, [&](cudaStream_t s) {
            launch_grid(k.kernel, {blocks, threads, 0, cluster > 1 ? cluster : 0, s}, out, in);
          });
          std::printf("%s,%d,%d,%d,%.4f\n", k.name, threads, cluster, blocks, us);
        }
  }
}
