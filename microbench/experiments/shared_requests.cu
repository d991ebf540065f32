// What L2 gives SMs that ask for parts of lines: a block an SM copies `bytes` bytes (cp.async.ca, 4 bytes a
// lane), lanes in groups that each ask for 1, 2 or 4 sectors of a line, the rest of that line with the next
// copies; `sharers` SMs that follow each other in the grid copy the same bytes, in the same order or each
// from another place on. Rows begin `begin` bytes behind a line. CSV to standard output: bytes a cycle of an
// SM, by the mean and by the slowest SM, the best of three runs.
//   nvcc -O3 -arch=sm_90a -o shared_requests shared_requests.cu && ./shared_requests
#include <algorithm>
#include <cstdio>

#include "experiment.hpp"

constexpr int warps = 16, line = 128;

template <int sectors>
__global__ void __launch_bounds__(512)
    run(const char* data, int bytes, int sharers, int turn, int begin, bool far, long long* cycles) {
  extern __shared__ char buffer[];
  constexpr int groups = 4 / sectors, lanes = 32 / groups;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = lane / lanes;
  const unsigned to = shared_address(buffer) + threadIdx.x * 4;
  const int lines = bytes / line, steps = lines / (warps * groups);
  const char* const own = data + static_cast<long long>(blockIdx.x / sharers) * (bytes + 4096) + begin;
  const int first = far ? (warp * groups + group) * steps : warp * groups + group;
  const int stride = far ? line : warps * groups * line;
  const int offset = turn ? static_cast<int>(blockIdx.x % sharers) * 7 % steps : 0;
  const char* const from = own + first * line + lane % lanes * 4;
  __syncthreads();
  const long long start = clock64();
#pragma unroll 4
  for (int n = 0; n < steps; ++n) {
    int step = n + offset;
    if (step >= steps) step -= steps;
    const char* const at = from + step * stride;
#pragma unroll
    for (int piece = 0; piece < groups; ++piece)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(at + piece * lanes * 4)
                   : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
}

template <int sectors>
void row(const char* data, long long* cycles, int bytes, int blocks, int sharers, int turn, int begin,
         bool far) {
  double best_mean = 1e18, best_most = 1e18;
  for (int time = 0; time < 4; ++time) {
    run<sectors><<<blocks, 512, 160 << 10>>>(data, bytes, sharers, turn, begin, far, cycles);
    CHECK(cudaDeviceSynchronize());
    double sum = 0, most = 0;
    for (int b = 0; b < blocks; ++b)
      sum += static_cast<double>(cycles[b]), most = std::max(most, static_cast<double>(cycles[b]));
    if (time > 0) best_mean = std::min(best_mean, sum / blocks), best_most = std::min(best_most, most);
  }
  std::printf("%d,%d,%d,%d,%d,%d,%d,%.1f,%.1f,%.0f\n", sectors, bytes, blocks, sharers, turn, begin, far,
              bytes / best_mean, bytes / best_most, best_mean);
}

int main() {
  auto* const data = device_room<char>(64 << 20, 1);
  auto* const cycles = managed_room<long long>(132 * sizeof(long long));
  allow_shared(run<1>, 160 << 10);
  allow_shared(run<2>, 160 << 10);
  allow_shared(run<4>, 160 << 10);
  std::printf(
      "sectors,bytes,blocks,sharers,turn,begin,far,bytes_a_cycle_mean,bytes_a_cycle_slowest,cycles\n");
  for (const int bytes : {131072, 32768})
    for (const int begin : {0, 4})
      for (const bool far : {false, true}) {
        const auto all = [&](int blocks, int sharers, int turn) {
          row<1>(data, cycles, bytes, blocks, sharers, turn, begin, far);
          row<2>(data, cycles, bytes, blocks, sharers, turn, begin, far);
          row<4>(data, cycles, bytes, blocks, sharers, turn, begin, far);
        };
        all(1, 1, 0), all(33, 1, 0), all(33, 33, 0), all(66, 66, 0);
        for (const int sharers : {1, 2, 4, 8, 16, 33, 66, 132}) {
          all(132, sharers, 0);
          if (sharers > 4) all(132, sharers, 1);
        }
      }
  return 0;
}
