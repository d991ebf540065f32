// What reaches DRAM of a set that kernels write again and again, by the order in which a walk comes to its
// lines and by the parts in which a line comes. By a profiler, mean of the last four of seven launches.
//   nvcc -O3 -arch=sm_90a -o written_orders written_orders.cu
//   m=dram__bytes_write.sum,gpu__time_duration.sum
//   ncu --csv --page raw --cache-control none --clock-control none --metrics $m ./written_orders >
//   profile.csv
// The program's own output on stderr names the launches in order.
//
// walk: blocks of 512 threads walk the set in pieces of 2 KB, in order or, within windows of so many MB, each
// time in another order; the threads wait behind each store.
//   whole: a warp stores a line; apart: 64 bytes behind, so that two warps store a line; halves, quarters:
//   two and four stores of a warp, one right behind the other, fill two and four lines; halves_behind: eight
//   bytes behind.
// tiles: a block stores 128 columns of 32 rows (the set's), like a tiled product: rows of four (halves) or
// eight lanes of 16 bytes, four rows of lanes before the next columns; waits before it stores. Four blocks an
// SM, those that come last find other places each time.
//   whole: eight lanes fill a line; halves: four lanes half of one; behind: eight, 64 bytes behind a line.
#include <cstdint>
#include <cstdio>

#include "experiment.hpp"

__device__ void wait(int cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__device__ unsigned mixed(unsigned x, unsigned seed) {
  x = (x ^ seed) * 0x9E3779B1u;
  x = (x ^ x >> 15) * 0x85EBCA77u;
  x = (x ^ x >> 13) * 0xC2B2AE3Du;
  return x ^ x >> 16;
}

// A permutation of [0, n), n at most 2^bits (a Feistel network, walked until it is below n).
__device__ unsigned permuted(unsigned x, int bits, unsigned n, unsigned seed) {
  const int low = bits / 2, high = bits - low;
  do {
    unsigned l = x & ((1u << low) - 1), h = x >> low;
    for (unsigned round = 0; round < 4; ++round) {
      if (round & 1)
        l ^= mixed(h, seed + round) & ((1u << low) - 1);
      else
        h ^= mixed(l, seed + round) & ((1u << high) - 1);
    }
    x = h << low | l;
  } while (x >= n);
  return x;
}

template <int stores, int behind>
__global__ void __launch_bounds__(512) walk(char* to, int pieces, int bits, unsigned seed, int cycles) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int lanes = 32 / stores;
  const int count = pieces / stores;
  for (int i = blockIdx.x; i < count; i += gridDim.x) {
    int place = i;
    if (bits > 0) {
      const int window = 1 << bits, first = i / window * window;
      place = first + permuted(i - first, bits, min(window, count - first), seed + first);
    }
    char* const at = to + (size_t)place * 2048 * stores + warp * 128 * stores + behind;
    for (int s = 0; s < stores; ++s)
      *(volatile float*)(at + (lane / lanes) * 128 + s * lanes * 4 + (lane % lanes) * 4) = 1.f;
    if (cycles > 0) wait(cycles);
  }
}

template <int lanes_n>
__global__ void __launch_bounds__(64) tiles(char* to, int columns, int behind, int cycles) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int lanes_m = 32 / lanes_n, rows_m = 32 / lanes_m / (lanes_n == 4 ? 1 : 2);
  // lanes_n 8: a warp has four rows of lanes and 16 of the tile's rows; 4: eight, half of the columns, all
  // rows.
  const int first_row = lanes_n == 8 ? warp * 16 : 0, first_column = lanes_n == 8 ? 0 : warp * 64;
  if (cycles > 0) wait(cycles);
  char* const tile = to + ((size_t)blockIdx.x * 128 + first_column) * 4 + behind;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < rows_m; ++i) {
      const int row = first_row + i * lanes_m + lane / lanes_n;
      *(float4*)(tile + (size_t)row * columns * 4 + (j * lanes_n + lane % lanes_n) * 16) =
          make_float4(1, 2, 3, 4);
    }
}

int main() {
  constexpr int launches = 7;
  char* sets[3];
  for (int i = 0; i < 3; ++i) {
    sets[i] = device_room<char>(64 << 20, 1);
    device_room<char>((i * 14 + 6) << 20);  // so that the next set is elsewhere
  }
  for (int set = 0; set < 3; ++set)
    for (double mb : {24., 26., 28., 30., 31., 32., 33.3, 35., 37., 40., 44.}) {
      const int pieces = (int)(mb * 1e6 / 2048);
      const auto said = [&](const char* form, const char* lines, int window, int cycles, int blocks,
                            double bytes) {
        fprintf(stderr, "%s,%s,%d,%d,%d,%d,%.0f\n", form, lines, window, cycles, blocks, set, bytes);
      };
      const auto walks = [&](auto kernel, const char* lines, int stores, int window_mb, int cycles,
                             int blocks) {
        int bits = 0;
        while (window_mb > 0 && (2048ll * stores << bits) < (long long)window_mb << 20)
          ++bits;
        for (int i = 0; i < launches; ++i)
          kernel<<<blocks, 512>>>(sets[set], pieces, bits, 7919u * i + 1, cycles);
        said("walk", lines, window_mb, cycles, blocks, pieces * 2048.);
      };
      for (int window : {0, 1, 2, 4, 8, 16, 32}) {
        walks(walk<1, 0>, "whole", 1, window, 800, 132);
        walks(walk<1, 64>, "apart", 1, window, 800, 132);
      }
      for (int window : {0, 8}) {
        walks(walk<2, 0>, "halves", 2, window, 800, 132);
        walks(walk<4, 0>, "quarters", 4, window, 800, 132);
        walks(walk<2, 8>, "halves_behind", 2, window, 800, 132);
      }
      for (int blocks : {132, 528}) {
        walks(walk<1, 0>, "whole", 1, 0, 0, blocks);
        walks(walk<1, 64>, "apart", 1, 0, 0, blocks);
      }
      const int tile_count = (int)(mb * 1e6 / (32 * 512));
      const auto stores = [&](auto kernel, const char* lines, int behind, int cycles) {
        allow_shared(kernel, 50000);
        for (int i = 0; i < launches; ++i)
          kernel<<<tile_count, 64, 50000>>>(sets[set], tile_count * 128, behind, cycles);
        said("tiles", lines, 0, cycles, tile_count, tile_count * 32 * 512.);
      };
      for (int cycles : {2000, 8000}) {
        stores(tiles<8>, "whole", 0, cycles);
        stores(tiles<4>, "halves", 0, cycles);
        stores(tiles<8>, "behind", 64, cycles);
      }
    }
  CHECK(cudaDeviceSynchronize());
}
