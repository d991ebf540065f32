// What asynchronous copies through L1 (cp.async.ca) cost whose lanes read several lines: the lanes of a warp
// in groups that copy words next to each other, the groups `stride` bytes apart, as the slices of
// chang_multi's blocks do. Each warp copies `rows` rows, `pitch` bytes apart, in `pieces` copies each, that
// follow each other; the next warp's groups follow this one's. CSV to standard output: cycles a copy of the
// SM (the most of the blocks, the least of five runs), of the first walk (lines come from L2) and of the next
// one.
//   nvcc -O3 -arch=sm_90a -o copy_lines copy_lines.cu && ./copy_lines
#include <algorithm>
#include <cstdio>

#include "experiment.hpp"

constexpr int lanes_of_warp = 32;

struct Walk {
  int group_lanes;  // lanes of a group
  int stride;       // bytes from group to group
  int begin;        // bytes behind a line's begin
  int rows, pitch, pieces;
};

template <int bytes>
__device__ __forceinline__ void walk(const char* data, const Walk& w, int first_group, unsigned to) {
  const int lane = threadIdx.x % lanes_of_warp;
  const char* from = data + w.begin +
                     (first_group + lane / w.group_lanes) * static_cast<long long>(w.stride) +
                     lane % w.group_lanes * bytes;
#pragma unroll 1
  for (int row = 0; row < w.rows; ++row) {
#pragma unroll 8
    for (int piece = 0; piece < w.pieces; ++piece)
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to),
                   "l"(from + piece * w.group_lanes * bytes), "n"(bytes)
                   : "memory");
    from += w.pitch;
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}

template <int bytes>
__global__ void run(const char* data, const char* other, Walk w, long long apart, long long* cycles) {
  extern __shared__ char buffer[];
  const int warp = threadIdx.x / lanes_of_warp;
  const unsigned to = shared_address(buffer) + threadIdx.x * bytes;
  Walk none = w;
  none.stride = 0, none.pitch = 0, none.rows = 2;
  walk<bytes>(other, none, 0, to);  // the code is there
  const int first_group = warp * (lanes_of_warp / w.group_lanes);
  for (int time = 0; time < 2; ++time) {
    const long long begin = clock64();
    walk<bytes>(data + blockIdx.x * apart, w, first_group, to);
    if (threadIdx.x == 0) cycles[2 * blockIdx.x + time] = clock64() - begin;
  }
}

template <int bytes>
void row(const char* data, long long* cycles, int warps, const Walk& w) {
  const char* const other = data;
  for (const int blocks : {1, 132}) {
    for (const bool own : {false, true}) {
      if (blocks == 1 && own) continue;
      long long least[2] = {1LL << 60, 1LL << 60};
      for (int time = 0; time < 5; ++time) {
        run<bytes>
            <<<blocks, warps * lanes_of_warp, 200 << 10>>>(data + 4096, other, w, own ? 131072 : 0, cycles);
        CHECK(cudaDeviceSynchronize());
        for (int pass = 0; pass < 2; ++pass) {
          long long most = 0;
          for (int block = 0; block < blocks; ++block)
            most = std::max(most, cycles[2 * block + pass]);
          least[pass] = std::min(least[pass], most);
        }
      }
      const double copies = static_cast<double>(w.rows) * w.pieces * warps;
      std::printf("%d,%d,%d,%s,%d,%d,%d,%d,%d,%d,%.2f,%.2f\n", bytes, warps, blocks, own ? "own" : "same",
                  w.group_lanes, w.stride, w.begin, w.rows, w.pitch, w.pieces, least[0] / copies,
                  least[1] / copies);
    }
  }
}

int main() {
  auto* const data = device_room<char>(64 << 20, 1);
  auto* const cycles = managed_room<long long>(2 * 132 * sizeof(long long));
  allow_shared(run<4>, 200 << 10);
  allow_shared(run<8>, 200 << 10);
  allow_shared(run<16>, 200 << 10);
  std::printf(
      "bytes,warps,blocks,data,group_lanes,stride,begin,rows,pitch,pieces,cycles_first,cycles_next\n");
  // How many lines a copy reads, a few KB in all: the next walk finds them in L1.
  for (const int lanes : {32, 16, 8, 4, 2, 1})
    for (const int begin : {0, 4})
      row<4>(data, cycles, 8, {lanes, 128, begin, 64, 0, 1});
  for (const int lanes : {32, 16, 8, 4, 2})
    row<8>(data, cycles, 8, {lanes, 128, 0, 64, 0, 1});
  for (const int lanes : {32, 16, 8, 4, 2})
    row<16>(data, cycles, 8, {lanes, 128, 0, 64, 0, 1});
  // Where the lines lie.
  for (const int stride : {32, 64, 128, 256, 384, 512, 1024, 1152, 2048, 2176, 4096, 8192})
    row<4>(data, cycles, 8, {8, stride, 0, 64, 0, 1});
  // Slices of eight lanes that walk rows of 49 words (maps of 7 x 7), 16 or 32 rows each, and rows of 64.
  for (const int warps : {4, 8}) {
    const int rows = 128 / warps;
    row<4>(data, cycles, warps, {8, rows * 196, 0, rows, 196, 8});
    row<4>(data, cycles, warps, {8, rows * 196, 0, rows, 196, 6});
    row<4>(data, cycles, warps, {8, rows * 196, 0, rows, 196, 4});
    row<4>(data, cycles, warps, {8, rows * 256, 0, rows, 256, 8});
    row<4>(data, cycles, warps, {8, rows * 256, 4, rows, 256, 8});
    row<4>(data, cycles, warps, {8, rows * 256 + 128, 0, rows, 256, 8});
    row<4>(data, cycles, warps, {32, rows * 256, 0, 4 * rows, 256, 2});
    row<4>(data, cycles, warps, {32, rows * 784, 0, 4 * rows, 196, 2});
    row<16>(data, cycles, warps, {8, rows * 256, 0, rows, 256, 2});
    // weights: eight words of each of four filters at a time, 64 bytes of 2048
    row<4>(data, cycles, warps, {8, 64, 0, 4, 2048, 1});
    row<4>(data, cycles, warps, {8, 2048, 0, 4, 64, 1});
  }
  return 0;
}
