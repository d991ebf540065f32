// chang_single's stores of tiles of several rows alone: blocks that each have some rows of some filters'
// planes; a warp's unit of 128 words in each of `tile_rows` rows for one filter after another, then its next
// unit (kernels/chang_single/chang_single.cu, compute()), at a pace at which the SMs alone would take
// `paced_us`. CSV to standard output: microseconds of a launch in replays of a graph.
//   nvcc -O3 -arch=sm_90a -o row_tile_stores row_tile_stores.cu && ./row_tile_stores
#include <cstdio>

#include "experiment.hpp"

struct Work {
  int row, rows;       // words and rows of a plane
  int tile_rows;       // of a tile
  int grid_m, grid_y;  // blocks along filters and rows
  int filters, threads, blocks_per_sm;
};

__global__ void stores(float* out, Work w, int wait) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int block_rows = (w.rows + w.grid_y - 1) / w.grid_y, first_row = blockIdx.y * block_rows;
  const int rows = min(block_rows, w.rows - first_row);
  const int block_filters = (w.filters + w.grid_m - 1) / w.grid_m, first_filter = blockIdx.x * block_filters;
  const int filters = min(block_filters, w.filters - first_filter);
  const int outputs = (rows + w.tile_rows - 1) / w.tile_rows * w.row;
  const long long plane = 1LL * w.row * w.rows;
  float* const base = out + first_filter * plane + 1LL * first_row * w.row;
  long long until = clock64();
  for (int unit = warp; unit * 128 < outputs; unit += warps) {
    const int at = unit * 128 + 4 * lane, band = at / w.row, column = at - band * w.row;
    for (int filter = 0; filter < filters; ++filter) {
      float* const to = base + filter * plane + 1LL * band * w.tile_rows * w.row + column;
      while (clock64() < until) {
      }
      until += wait;
      for (int y = 0; y < w.tile_rows; ++y)
        if (at < outputs && band * w.tile_rows + y < rows)
          __stcs(reinterpret_cast<float4*>(to + y * w.row), make_float4(unit, filter, y, lane));
    }
  }
}

int main() {
  const int sms = sm_count();
  auto* const out = device_room<float>(std::size_t{576} << 20, 0);
  struct Grid {
    int m, y, threads, blocks_per_sm;
  };
  std::printf("row,tile_rows,grid_m,grid_y,threads,paced_us,mb,us,tb_per_s\n");
  for (const int row : {424, 428, 432, 448})
    for (const int tile_rows : {1, 2, 4})
      for (const Grid g :
           {Grid{11, 12, 256, 1}, Grid{44, 12, 256, 2}, Grid{32, 4, 128, 1}, Grid{12, 22, 512, 1},
            Grid{11, 54, 256, 1}, Grid{11, 54, 256, 2}, Grid{4, 54, 256, 1}})
        for (const double paced : {0., 60., 100., 120., 140.}) {
          const Work w{row, row, tile_rows, g.m, g.y, 704, g.threads, g.blocks_per_sm};
          const int block_rows = (w.rows + g.y - 1) / g.y, warps = g.threads / 32;
          const double units = (block_rows + tile_rows - 1) / tile_rows * row / 128.0;
          const double waves = (g.m * g.y + sms * g.blocks_per_sm - 1) / (sms * g.blocks_per_sm);
          const double turns = waves * ((704 + g.m - 1) / g.m) * units / warps;
          const int wait = static_cast<int>(paced * 1980 / turns);
          // Shared memory keeps no more blocks on an SM than that.
          const int shared = 200 * 1024 / g.blocks_per_sm;
          allow_shared(stores, shared);
          const double us = graph_time_us(
              10, 5, [&](cudaStream_t s) { stores<<<dim3(g.m, g.y), g.threads, shared, s>>>(out, w, wait); });
          const double mb = 4e-6 * row * row * 704;
          std::printf("%d,%d,%d,%d,%d,%.0f,%.1f,%.2f,%.3f\n", row, tile_rows, g.m, g.y, g.threads, paced, mb,
                      us, mb / us);
        }
}
