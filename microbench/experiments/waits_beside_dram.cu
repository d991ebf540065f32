// What a block waits for before it stores, while others store: one load that L2 has, or DRAM, then 16 loads
// from shared memory, each of which needs the one before, of every warp, behind a barrier; then its tile (the
// gemms' stores alone, vector_tile.hpp). They write one image of 218 MB, as fast as DRAM takes it, or one of
// 25 MB again and again, which L2 keeps, whose rows begin with a line or 16 bytes behind one. `blocks` of so
// many warps at once on an SM. CSV to standard output: cycles of the load and of one of the 16, means over
// all blocks but the first wave's; microseconds of a launch.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o waits_beside_dram waits_beside_dram.cu && ./waits_beside_dram
#include <cstdio>

#include "vector_tile.hpp"

using vector_tile::Layout;

constexpr int shared_loads = 16;
constexpr size_t words = 256 << 20;  // of which loads read some

template <int TM, int TN, int lanes_n>
__global__ void tile(float* out, const unsigned* in, size_t from_block, float2* waits, Layout l, int wm,
                     int tiles_m, int tiles, int bm, int bn) {
  __shared__ unsigned ring[32];
  ring[threadIdx.x % 32] = threadIdx.x % 32 * 5 % 32;
  __syncthreads();
  const unsigned begin = now();
  unsigned at = __ldcg(in + (blockIdx.x * from_block + threadIdx.x) % words) + threadIdx.x % 32;
  asm volatile("" ::"r"(at) : "memory");
  at = __shfl_sync(~0U, at, threadIdx.x % 32);
  const unsigned loaded = now();
#pragma unroll 1
  for (int i = 0; i < shared_loads; ++i)
    at = *const_cast<volatile unsigned*>(ring + at % 32);
  asm volatile("" ::"r"(at) : "memory");
  const unsigned end = now() + (at > 64);
  vector_tile::store_tile<TM, TN, lanes_n>(out, l, wm, tiles_m, bm, bn, blockIdx.x % tiles);
  if (threadIdx.x == 0)
    waits[blockIdx.x] = make_float2(loaded - begin, static_cast<float>(end - loaded) / shared_loads);
}

template <int TM, int TN, int lanes_n>
void tiles(float* out, const unsigned* in, float2* waits, int wm, int wn) {
  const auto kernel = tile<TM, TN, lanes_n>;
  const int bm = wm * (32 / lanes_n) * TM, bn = wn * lanes_n * TN, threads = 32 * wm * wn;
  allow_shared(kernel, 220 * 1024);
  for (const int rows : {704, 80})
    for (const bool of_dram : {false, true})
      for (const int behind : {0, 4})
        for (const int blocks : {1, 2, 3, 4, 6, 8}) {
          if (blocks * wm * wn > 32) continue;
          const Layout l{1, rows, 77280 + behind};
          const int tiles_m = (l.rows + bm - 1) / bm, all_tiles = tiles_m * ((l.columns + bn - 1) / bn);
          const int grid = rows == 704 ? all_tiles : 9 * all_tiles;
          const int shared = std::max(0, 220 * 1024 / blocks - 1408);
          // Of DRAM: a place 64 KiB behind that of the block before; else 4 MB in all.
          const size_t from_block = of_dram ? 16384 + 32 : 97;
          const double us = graph_time_us(4, 3, [&](cudaStream_t stream) {
            kernel<<<grid, threads, shared, stream>>>(out, in, from_block, waits, l, wm, tiles_m, all_tiles,
                                                      bm, bn);
          });
          const auto all = to_host(waits, grid);
          double load = 0, step = 0;
          std::vector<float> loads;
          for (std::size_t i = sm_count() * blocks; i < all.size(); ++i)
            load += all[i].x, step += all[i].y, loads.push_back(all[i].x);
          const auto n = static_cast<double>(loads.size());
          std::printf("%dx%d,%d,%dx%d,%d,%d,%d,%d,%s,%.0f,%.0f,%.1f,%.2f\n", TM, TN, lanes_n, bm, bn, wm * wn,
                      blocks, l.rows, 4 * behind, of_dram ? "dram" : "l2", load / n, median(loads), step / n,
                      us);
          std::fflush(stdout);
        }
}

int main() {
  auto* const out = device_room<float>(256LL << 20);
  auto* const in = device_room<unsigned>(4 * words, 0);
  auto* const waits = device_room<float2>(sizeof(float2) << 20);
  std::printf(
      "thread_tile,lanes_n,block_tile,warps,blocks,rows,bytes_behind,load_of,load,load_median,shared_load,"
      "us\n");
  tiles<4, 16, 4>(out, in, waits, 2, 2), tiles<4, 16, 4>(out, in, waits, 4, 4);
  tiles<8, 16, 4>(out, in, waits, 2, 2), tiles<8, 16, 8>(out, in, waits, 1, 2);
  tiles<8, 8, 8>(out, in, waits, 2, 2), tiles<8, 8, 8>(out, in, waits, 2, 4),
      tiles<16, 8, 8>(out, in, waits, 1, 2);
  tiles<4, 4, 8>(out, in, waits, 2, 2), tiles<8, 4, 8>(out, in, waits, 2, 2),
      tiles<16, 4, 16>(out, in, waits, 1, 4);
}
