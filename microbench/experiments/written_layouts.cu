// How fast DRAM takes whole lines by the layout of what is written, beyond L2: `images` times `rows` rows of
// `columns` words, one behind the other. CSV to standard output: microseconds of a launch in replays of a
// graph.
//   tiles: the gemms' stores alone (as vector_tiles.cu), four columns at a time, tiles of bm x bn, so many
//     threads at once on an SM; tiles of rows are neighbours in the grid.
//   walk: the warps of all SMs write pieces of 512 bytes of so many rows in turn, all at the same column.
//   nvcc -O3 -arch=sm_90a -o written_layouts written_layouts.cu && ./written_layouts
#include <cstdio>

#include "vector_tile.hpp"

using vector_tile::Layout, vector_tile::store_four;

__global__ void walk(float* out, Layout l) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int pieces = l.columns / 128;
  const long long all = static_cast<long long>(l.images) * l.rows * pieces;
  const long long step = static_cast<long long>(gridDim.x) * warps;
  const float4 v = make_float4(warp, lane, blockIdx.x, 1);
  for (long long i = static_cast<long long>(blockIdx.x) * warps + warp; i < all; i += step) {
    const int row = static_cast<int>(i % l.rows);
    const long long rest = i / l.rows;
    const int piece = static_cast<int>(rest % pieces), image = static_cast<int>(rest / pieces);
    store_four(out + (static_cast<long long>(image) * l.rows + row) * l.columns + piece * 128 + lane * 4, v);
  }
}

void print(const char* what, const Layout& l, const char* tile, int at_once, double us) {
  std::printf("%s,%d,%d,%d,%s,%d,%.3f,%.3f\n", what, l.images, l.rows, l.columns, tile, at_once, us,
              4e-6 * l.images * l.rows * l.columns / us);
}

constexpr Layout layouts[] = {
    {1, 32, 1048576}, {1, 32, 1000000}, {1, 64, 524288}, {1, 64, 520000},  {1, 128, 262144}, {1, 128, 260000},
    {1, 256, 131072}, {1, 256, 130000}, {1, 512, 65536}, {1, 1024, 32768}, {1, 1024, 32000}, {1, 96, 399616},
    {16, 96, 24976},  {5, 660, 12544},  {1, 660, 62720}, {52, 64, 12544},  {104, 32, 12544}, {13, 256, 12544},
    {4, 192, 49284},  {60, 192, 3136},  {170, 256, 784}, {8, 32, 131072},  {3, 1024, 12544}};

template <int TM, int TN, int lanes_n>
void tiles(float* out, int wm, int wn) {
  const auto kernel = vector_tile::tile<TM, TN, lanes_n>;
  const int bm = wm * (32 / lanes_n) * TM, bn = wn * lanes_n * TN, threads = 32 * wm * wn;
  allow_shared(kernel, 220 * 1024);
  char name[64];
  std::snprintf(name, sizeof name, "%dx%d:%dx%d", TM, TN, bm, bn);
  for (const Layout& l : layouts)
    for (const int at_once : {256, 768}) {
      const int resident = at_once / threads;
      if (resident < 1 || resident > 32) continue;
      const int tiles_m = (l.rows + bm - 1) / bm, tiles_n = (l.images * l.columns + bn - 1) / bn;
      const int shared = 220 * 1024 / resident - 1152;
      print("tiles", l, name, at_once, graph_time_us(6, 3, [&](cudaStream_t stream) {
              kernel<<<tiles_m * tiles_n, threads, shared, stream>>>(out, l, wm, tiles_m, bm, bn);
            }));
    }
}

int main() {
  auto* const out = device_room<float>(180 << 20);
  const int sms = sm_count();
  std::printf("what,images,rows,columns,tile,threads_at_once,us,tb_per_s\n");
  for (const Layout& l : layouts)
    for (const int threads : {512, 1024})
      print("walk", l, "-", threads,
            graph_time_us(6, 3, [&](cudaStream_t stream) { walk<<<sms, threads, 0, stream>>>(out, l); }));
  tiles<4, 16, 4>(out, 1, 1);
  tiles<4, 8, 4>(out, 1, 1);
  tiles<8, 8, 8>(out, 1, 4);
  tiles<8, 8, 8>(out, 2, 1);
  tiles<8, 8, 8>(out, 4, 2);
  tiles<4, 4, 8>(out, 2, 2);
  tiles<16, 4, 16>(out, 1, 4);
  tiles<16, 4, 8>(out, 2, 2);
  tiles<8, 16, 4>(out, 1, 2);
}
