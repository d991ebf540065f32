// Tiles of an output whose rows begin anywhere, as the tiled kernels without vectors store them: a block has
// `rows` x `columns` words and stores them row by row, consecutive warps consecutive 128 bytes; blocks side
// by side follow each other in the grid (`order` x) or come behind all tiles of the same columns (y). Before
// it a block waits for `wait` cycles of its SM's clock. CSV to standard output: us of a launch in replays of
// a graph, of planes of `stride` words, 96 MB in all.
//   nvcc -O3 -arch=sm_90a -o odd_rows odd_rows.cu && ./odd_rows
#include <cstdio>

#include "experiment.hpp"

namespace {

template <int columns>
__global__ void store(float* out, int stride, int all_rows, int rows, int tiles_x, int tiles_y, bool x_first,
                      int pass_rows, int wait) {
  const int tile_x = x_first ? blockIdx.x % tiles_x : blockIdx.x / tiles_y;
  const int tile_y = x_first ? blockIdx.x / tiles_x : blockIdx.x % tiles_y;
  const int first = tile_y * rows;
  const long long begin = clock64();
  const int each = wait * pass_rows / rows;
  for (int pass = 0; pass < rows; pass += pass_rows) {
    while (clock64() - begin < static_cast<long long>(each) * (pass / pass_rows + 1)) {
    }
    __syncthreads();
    for (int i = threadIdx.x; i < pass_rows * columns; i += blockDim.x) {
      const int row = first + pass + i / columns, x = tile_x * columns + i % columns;
      if (row < all_rows && x < stride) out[static_cast<long long>(row) * stride + x] = 1.0f * pass;
    }
  }
}

template <int columns>
void run(float* data) {
  const auto kernel = store<columns>;
  allow_shared(kernel, 200000);
  for (const int rows : {8, 32, 128})
    for (const int resident : {2, 6})
      for (const bool x_first : {true, false})
        for (const int wait : {0, 4, 8})  // cycles of the SM for each 128 bytes
          for (const int stride : {21025, 21028, 21032, 21056}) {
            const int threads = columns == 32 ? 96 : 256, all_rows = 1152;
            if (!x_first && wait != 4) continue;
            const int tiles_x = (stride + columns - 1) / columns, tiles_y = all_rows / rows;
            const int shared = std::min(200000, 227 * 1024 / resident - 1024 - 256);
            const int cycles = wait * resident * rows * columns / 32, pass_rows = std::min(rows, 16);
            const double us = graph_time_us(4, 3, [&](cudaStream_t s) {
              kernel<<<tiles_x * tiles_y, threads, shared, s>>>(data, stride, all_rows, rows, tiles_x,
                                                                tiles_y, x_first, pass_rows, cycles);
            });
            std::printf("%d,%d,%d,%d,%s,%d,%d,%.2f\n", columns, rows, threads, resident, x_first ? "x" : "y",
                        cycles, stride, us);
          }
}

}  // namespace

int main() {
  auto* const data = device_room<float>(160LL << 20);
  std::printf("columns,rows,threads,blocks_an_sm,order,wait_cycles,stride_words,us\n");
  run<32>(data);
  run<64>(data);
  run<128>(data);
  run<384>(data);
}
