// What DRAM reads and writes of sets of which kernels read a part and write the rest, again and again, by a
// profiler: the mean of eight launches right behind each other, at two places in memory. Each piece of what
// is read is read by `readers` blocks at the same time, which are so many blocks `apart` in the grid and each
// write a piece of their own. `many`: many waves of blocks; `one`: one block an SM, the same in each launch,
// which walks through its part.
//   nvcc -O3 -arch=sm_90a -o mixed_sets mixed_sets.cu
//   m=dram__bytes_read.sum,dram__bytes_write.sum
//   ncu --cache-control none --clock-control none --replay-mode app-range --metrics $m ./mixed_sets
#include <cuda_profiler_api.h>

#include <cmath>
#include <cstdio>

#include "experiment.hpp"

struct Sets {
  const float4* from;
  float4* to;
  int pieces, readers, apart;
  long long read, written;  // of a piece, of one reader's: in 16 bytes
};

// Pieces in a row: as many blocks, or one after the other of a block that stays.
__global__ void __launch_bounds__(1024) walk(Sets s) {
  const int groups = gridDim.x / s.readers;
  const int own = blockIdx.x / (s.readers * s.apart) * s.apart + blockIdx.x % s.apart;
  const int reader = blockIdx.x / s.apart % s.readers;
  const int first = (int)((long long)s.pieces * own / groups);
  const int last = (int)((long long)s.pieces * (own + 1) / groups);
  for (int piece = first; piece < last; ++piece) {
    float sum = 0;
    for (long long i = threadIdx.x; i < s.read; i += blockDim.x)
      sum += s.from[piece * s.read + i].x;
    float4* const to = s.to + ((long long)piece * s.readers + reader) * s.written;
    for (long long i = threadIdx.x; i < s.written; i += blockDim.x)
      to[i] = make_float4(sum, 1, 2, 3);
    if (s.written == 0 && sum == -1) s.to[0] = make_float4(sum, 1, 2, 3);
  }
}

int main(int count, char**) {
  constexpr int sms = 132, far = 66;
  struct Readers {
    int readers;
    bool apart;
  };
  const bool profiled = count < 2;
  std::printf("blocks,readers,apart,read_bytes,written_bytes\n");
  for (int place = 0; place < 2; ++place) {
    if (place) device_room<float4>(14 << 20);
    auto* const from = device_room<float4>(80 << 20, 0);
    if (place) device_room<float4>(14 << 20);
    auto* const to = device_room<float4>(80 << 20);
    const auto count_one = [&](bool one, int readers, bool apart, double share, double mb) {
      const double most = 32768 / 16, reads = mb * 1e6 / 16 * (1 - share), writes = mb * 1e6 / 16 * share;
      int pieces = (int)std::ceil(std::max(reads / most, writes / readers / most));
      pieces = (pieces + far - 1) / far * far;
      const Sets s{from,
                   to,
                   pieces,
                   readers,
                   !apart ? 1
                   : one  ? sms / readers
                          : far,
                   (long long)(reads / pieces) / 8 * 8,
                   (long long)(writes / readers / pieces) / 8 * 8};
      const int blocks = one ? sms : pieces * readers;
      const auto launch = [&](int times) {
        for (int i = 0; i < times; ++i)
          walk<<<blocks, one ? 1024 : 256>>>(s);
        CHECK(cudaDeviceSynchronize());
      };
      launch(6);
      if (profiled) CHECK(cudaProfilerStart());
      launch(8);
      if (profiled) CHECK(cudaProfilerStop());
      std::printf("%s,%d,%d,%lld,%lld\n", one ? "one" : "many", readers, s.apart, 16 * pieces * s.read,
                  16 * pieces * readers * s.written);
    };
    constexpr Readers all[] = {{1, false}, {2, false}, {2, true}, {4, false}, {4, true}};
    for (const bool one : {true, false})
      for (const auto [readers, apart] : all)
        for (const double share : {0.0, 0.1, 0.3, 0.6})  // written
          for (const double mb : {24, 28, 32, 36, 40, 44, 50})
            count_one(one, readers, apart, share, mb);
    for (const auto [readers, apart] : all)
      for (const double share : {0.6, 0.75, 0.85, 0.93, 1.0})
        for (const double mb : {24, 26, 28, 30, 32, 34, 37})
          count_one(false, readers, apart, share, mb);
  }
}
