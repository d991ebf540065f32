// Stores of one or few words of a sector, as the gemm kernels' without vectors. CSV to standard output, SM
// cycles at 1980 MHz of a launch in replays of a graph.
// `pattern`: every store of a warp reaches `lines` lines, in each the sectors of a mask, in each of these so
// many words from the first on (the rest stays as it is); over and over in the warp's own 8 KiB, or in its
// own `window` bytes; cycles a store of each SM, with 16 warps. `apart`: bytes from line to line. `filled`: 8
// / words stores of the warp (or of so many warps of the block) fill the sectors of 4 lines (of 32 / (4
// words)), with stores to distance - 1 other places between two of them. `tile`: kernels of store_tile
// (kernels/gemm_tile/gemm_tile_device.hpp) alone: a warp has TM x TN words a thread, 32 / lanes_n rows of
// lanes, blocks of wm x wn warps cover rows x columns, rows of `stride` words; so many warps at most on an
// SM. `inner`: which loop is the inner one.
//   nvcc -O3 -arch=sm_90a -o tile_stores tile_stores.cu && ./tile_stores
#include <cstdio>
#include <cstring>

#include "experiment.hpp"

namespace {

constexpr double cycles_per_us = 1980;

__global__ void pattern(float* data, const int* lane_words, int window_words, int steps, int step_words,
                        int rounds) {
  const int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int mine = lane_words[threadIdx.x % 32];
  if (mine < 0) return;
  float* const to = data + static_cast<long long>(warp) * window_words + mine;
  for (int r = 0; r < rounds; ++r) {
    const float value = static_cast<float>(r);
    int s = 0;
    for (; s + 4 <= steps; s += 4) {
      to[s * step_words] = value;
      to[(s + 1) * step_words] = value;
      to[(s + 2) * step_words] = value;
      to[(s + 3) * step_words] = value;
    }
    for (; s < steps; ++s)
      to[s * step_words] = value;
  }
}

// Places of `distance` stores each; in every group all places get their first words, then all their second
// ... `warps_together` warps share a window and begin with different words.
template <int words>
__global__ void filled(float* data, int lines, int distance, int places, int warps_together, int rounds) {
  const int lane = threadIdx.x % 32;
  const int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int group = warp / warps_together, part = warp % warps_together;
  constexpr int pieces = 8 / words;
  const int piece_lane = lane / words, line = piece_lane / 4, sector = piece_lane % 4;
  float* const to =
      data + static_cast<long long>(group) * places * lines * 32 + line * 32 + sector * 8 + lane % words;
  for (int r = 0; r < rounds; ++r)
    for (int first = 0; first < places; first += distance)
#pragma unroll
      for (int piece = 0; piece < pieces; ++piece) {
        if (piece % warps_together != part) continue;
#pragma unroll 4
        for (int d = 0; d < distance; ++d)
          to[(first + d) * lines * 32 + piece * words] = static_cast<float>(r);
      }
}

template <int TM, int TN, int lanes_n, bool rows_inner>
__global__ void tile(float* out, long long stride, int rows, int columns, int wm, int tiles_m, int bm,
                     int bn) {
  constexpr int lanes_m = 32 / lanes_n;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_n = lane / 2 % lanes_n, lane_m = lane % 2 + 2 * (lane / (2 * lanes_n));
  const int first_m = static_cast<int>(blockIdx.x % tiles_m) * bm + warp % wm * lanes_m * TM + 4 * lane_m;
  const int first_n = static_cast<int>(blockIdx.x / tiles_m) * bn + warp / wm * lanes_n * TN + 4 * lane_n;
  float* const first = out + first_m * stride;
  const float value = static_cast<float>(threadIdx.x);
  const auto store = [&](int i, int j) {
    const int n = first_n + j / 4 * 4 * lanes_n + j % 4, m = i / 4 * 4 * lanes_m + i % 4;
    if (n < columns && first_m + m < rows) first[m * stride + n] = value;
  };
  if (rows_inner) {
#pragma unroll
    for (int j = 0; j < TN; ++j)
#pragma unroll
      for (int i = 0; i < TM; ++i)
        store(i, j);
  } else {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j)
        store(i, j);
  }
}

struct Bench {
  float* data;
  int* table;
  bool once;  // each kernel one time, for a profiler
  int nodes = 6, runs = 3;

  template <class Launch>
  double us(const Launch& launch) const {
    if (once) {
      launch(cudaStreamPerThread);
      CHECK(cudaDeviceSynchronize());
      return 0;
    }
    return graph_time_us(nodes, runs, launch);
  }

  void run_pattern(int lines, int mask, int words, int line_bytes, int window_bytes, int sms,
                   int warps = 16) const {
    int lanes[32], n = 0;
    for (int& l : lanes)
      l = -1;
    for (int line = 0; line < lines; ++line)
      for (int sector = 0; sector < 4; ++sector)
        for (int w = 0; w < words && (mask >> sector & 1); ++w)
          if (n < 32) lanes[n++] = line * line_bytes / 4 + sector * 8 + w;
    CHECK(cudaMemcpy(table, lanes, sizeof lanes, cudaMemcpyHostToDevice));
    const int span = line_bytes == 128 ? lines * 128 : 128;  // lines far apart: steps walk within these
    const int room = line_bytes == 128 ? window_bytes : line_bytes;
    const int steps = std::max(1, line_bytes == 128 ? room / span : std::min(8, room / span));
    const int rounds = std::max(1, 96 / steps), stores = steps * rounds;
    const int window = line_bytes == 128 ? std::max(window_bytes, span) : lines * line_bytes;
    const auto timed = [&](int times) {
      return us([&](cudaStream_t s) {
        pattern<<<sms, 32 * warps, 0, s>>>(data, table, window / 4, steps, span / 4, rounds * times);
      });
    };
    const double one = timed(1), two = once ? one : timed(2);
    std::printf("pattern,%d,%x,%d,%d,%d,%d,%d,%.2f\n", lines, mask, words, line_bytes, window, sms, warps,
                (two - one) * cycles_per_us / (static_cast<double>(stores) * warps));
  }

  template <int words>
  void run_filled(int distance, int together, int sms, int warps = 16) const {
    constexpr int lines = 8 / words;
    const int places =
        8192 / (lines * 128) > distance ? 8192 / (lines * 128) / distance * distance : distance;
    const int pieces = 8 / words;
    const int rounds = std::max(1, 128 / (places * pieces / together));
    const auto timed = [&](int times) {
      return us([&](cudaStream_t s) {
        filled<words><<<sms, 32 * warps, 0, s>>>(data, lines, distance, places, together, rounds * times);
      });
    };
    const double one = timed(1), two = once ? one : timed(2);
    std::printf(
        "filled,%d,%d,%d,%d,%d,,%d,%d,%.2f\n", lines, words, distance, together, places, sms, warps,
        (two - one) * cycles_per_us / (static_cast<double>(rounds) * places * pieces / together * warps));
  }

  template <int TM, int TN, int lanes_n, bool rows_inner>
  void run_tile(int wm, int wn, long long stride, int rows, int columns, int warps_at_once) const {
    constexpr int lanes_m = 32 / lanes_n;
    const int bm = wm * lanes_m * TM, bn = wn * lanes_n * TN;
    const int tiles_m = (rows + bm - 1) / bm, tiles_n = (columns + bn - 1) / bn;
    const auto kernel = tile<TM, TN, lanes_n, rows_inner>;
    allow_shared(kernel, 200000);
    const int blocks_at_once = std::max(1, std::min(32, warps_at_once / (wm * wn)));
    const int shared = std::min(200000, 227 * 1024 / blocks_at_once - 1024 - 256);
    const double t = us([&](cudaStream_t s) {
      kernel<<<tiles_m * tiles_n, 32 * wm * wn, shared, s>>>(out(), stride, rows, columns, wm, tiles_m, bm,
                                                             bn);
    });
    std::printf("tile,%dx%d,%d,%s,%dx%d,%lld,%d,%d,%d,%.3f\n", TM, TN, lanes_n,
                rows_inner ? "rows" : "columns", bm, bn, stride, rows, columns, warps_at_once, t);
  }
  float* out() const { return data; }

  template <int TM, int TN, int lanes_n>
  void run_tiles(int wm, int wn, bool large) const {
    const int warps = wm * wn >= 16 ? 16 : 8;
    if (large) {
      for (const long long stride : {199809LL, 199808LL})
        run_tile<TM, TN, lanes_n, true>(wm, wn, stride, 168, 199808, 2 * warps);
      return;
    }
    for (const long long stride : {47089LL, 47092LL, 47096LL, 47104LL - 32})
      for (const int at_once : {warps, 4 * warps}) {
        run_tile<TM, TN, lanes_n, true>(wm, wn, stride, 55, 47072, at_once);
        run_tile<TM, TN, lanes_n, false>(wm, wn, stride, 55, 47072, at_once);
      }
  }

  void all_tiles(bool large) const {
    run_tiles<4, 16, 2>(1, 1, large);
    run_tiles<4, 16, 4>(2, 1, large);
    run_tiles<8, 8, 2>(1, 1, large);
    run_tiles<8, 8, 4>(1, 1, large);
    run_tiles<8, 16, 4>(1, 1, large);
    run_tiles<16, 8, 8>(1, 1, large);
    run_tiles<4, 16, 8>(4, 1, large);
    run_tiles<4, 16, 8>(2, 1, large);
    run_tiles<8, 8, 8>(1, 1, large);
    run_tiles<8, 8, 8>(1, 4, large);
    run_tiles<8, 4, 8>(1, 1, large);
    run_tiles<8, 4, 8>(2, 4, large);
    run_tiles<4, 4, 8>(4, 4, large);
    run_tiles<8, 4, 16>(2, 2, large);
    run_tiles<16, 4, 16>(1, 1, large);
    run_tiles<16, 4, 16>(2, 2, large);
    if (large) {
      run_tiles<8, 16, 8>(8, 1, true);
      run_tiles<4, 16, 8>(16, 1, true);
    }
  }
};

}  // namespace

int main(int count, char** arguments) {
  Bench bench{};
  const bool large = count > 1 && std::strcmp(arguments[1], "large") == 0;
  bench.once = large || (count > 1 && std::strcmp(arguments[1], "once") == 0);
  bench.data = device_room<float>(160LL << 20);
  bench.table = device_room<int>(4096);
  if (large) {
    bench.all_tiles(true);
    return 0;
  }
  if (bench.once) {
    bench.run_tile<4, 16, 2, true>(1, 1, 47089, 55, 47072, 8);
    bench.run_tile<4, 16, 2, true>(1, 1, 47072, 55, 47072, 8);
    bench.run_tile<8, 4, 8, true>(2, 4, 47089, 55, 47072, 16);
    bench.run_tile<8, 4, 8, true>(2, 4, 47072, 55, 47072, 16);
    bench.run_tile<16, 4, 16, true>(1, 1, 47089, 55, 47072, 8);
    bench.run_tile<16, 4, 16, false>(1, 1, 47089, 55, 47072, 8);
    bench.run_pattern(8, 15, 1, 128, 8192, 132);
    bench.run_pattern(8, 15, 4, 128, 8192, 132);
    bench.run_pattern(8, 1, 1, 128, 8192, 132);
    bench.run_pattern(4, 15, 8, 128, 8192, 132);
    bench.run_filled<1>(1, 1, 132);
    bench.run_filled<1>(4, 1, 132);
    return 0;
  }
  std::printf("experiment,lines,mask,words,apart_bytes,window_bytes,sms,warps,cycles_a_store\n");
  for (const int sms : {1, 132}) {
    for (const int lines : {1, 2, 4, 8, 16, 32})
      for (const int mask : {1, 3, 5, 7, 15})
        for (const int words : {1, 2, 4, 8}) {
          const int sectors = (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1);
          if (lines * sectors * words > 32 || (words == 2 && lines < 8) || (mask == 7 && lines != 2))
            continue;
          bench.run_pattern(lines, mask, words, 128, 8192, sms);
        }
    for (const int lines : {8, 16})  // lines far apart
      for (const int apart : {8192 + 128, 3 * 32768 + 4096 + 128})
        if (lines * apart < 1000000) {
          bench.run_pattern(lines, 1, 1, apart / (sms > 1 ? 12 : 1) / 128 * 128, 0, sms);
        }
    for (const int window : {1024, 2048, 4096, 16384, 32768})  // of each of 2112 warps
      for (const int lines : {4, 8})
        for (const int mask : {1, 15}) {
          bench.run_pattern(lines, mask, 1, 128, window, sms);
          if (lines == 4 && mask == 15) bench.run_pattern(lines, mask, 8, 128, window, sms);
        }
    bench.run_pattern(8, 15, 1, 128, 8192, sms, 4);
    bench.run_pattern(8, 15, 1, 128, 8192, sms, 32);
    bench.run_pattern(16, 1, 1, 128, 8192, sms, 4);
    bench.run_pattern(16, 1, 1, 128, 8192, sms, 32);
  }
  for (const int sms : {33, 66, 100}) {
    bench.run_pattern(4, 15, 8, 128, 8192, sms);
    bench.run_pattern(8, 15, 1, 128, 8192, sms);
    bench.run_pattern(16, 1, 1, 128, 8192, sms);
    bench.run_pattern(16, 5, 1, 128, 8192, sms);
    bench.run_pattern(4, 1, 8, 128, 8192, sms);
  }
  std::printf("experiment,lines,words,distance,together,places,-,sms,warps,cycles_a_store\n");
  for (const int sms : {1, 132})
    for (const int together : {1, 2})
      for (const int distance : {1, 2, 4, 8, 16}) {
        bench.run_filled<4>(distance, together, sms);
        bench.run_filled<2>(distance, together, sms);
        if (distance <= 8) bench.run_filled<1>(distance, together, sms);
      }
  for (const int distance : {1, 4})
    for (const int warps : {4, 8, 32})
      bench.run_filled<1>(distance, 1, 132, warps);
  std::printf("experiment,thread_tile,lanes_n,inner,block_tile,stride_words,rows,columns,warps_at_once,us\n");
  bench.all_tiles(false);
  bench.all_tiles(true);
  return 0;
}
