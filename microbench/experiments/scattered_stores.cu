// Loops behind S6 and S14 (model/EQUATIONS.md): stores whose sectors several of them fill, and which part of
// a first access a kernel pays that both loads and stores. CSV on stdout.
//   nvcc -O3 -arch=sm_90a -o scattered_stores scattered_stores.cu && ./scattered_stores

#include <cstdio>

#include "experiment.hpp"

namespace {

// Each lane stores `piece` neighbouring words one by one, lanes one piece apart, in `rows` rows.
template <int piece, int rows, bool row_first>
__global__ void scattered(float* out, long row_words, long blocks_of_columns, float value) {
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long column_block = blockIdx.x % blocks_of_columns, row_block = blockIdx.x / blocks_of_columns;
  float* to = out + (row_block * warps + warp) * rows * row_words + column_block * 32 * piece + lane * piece;
  if (row_first) {
#pragma unroll
    for (int j = 0; j < piece; ++j)
#pragma unroll
      for (int i = 0; i < rows; ++i)
        __stwb(to + i * row_words + j, value);
  } else {
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < piece; ++j)
        __stwb(to + i * row_words + j, value);
  }
}

// Bits of `what`: 1 loads a, 2 loads b (after a), 4 stores to out (what was loaded), 8 stores to a, 16 stores
// at once, before what was loaded is there.
__global__ void accesses(int what, const float* a, const float* b, float* out, float* a_too) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  if (what & 16) out[at] = 1;
  if (what & 1) x = *reinterpret_cast<const volatile float*>(a + at);
  if (what & 2) x = *reinterpret_cast<const volatile float*>(b + at + (x == 12345 ? 1 : 0));
  if (what & 4) out[at] = x;
  if (what & 8) a_too[at] = x;
  if (x == 54321) out[0] = 1;
}

// Of a launch among equal ones, the least.
template <class Launch>
double microseconds(int launches, const Launch& launch) {
  return graph_times_us(launches, 3, 5, launch)[0];
}

template <int piece, int rows, bool row_first>
void run_scattered(float* out, long row_words, double megabytes, int blocks) {
  constexpr int threads = 256, warps = threads / 32;
  const long columns = row_words / (32 * piece);
  long grid = static_cast<long>(megabytes * 1e6 / 4 / (warps * rows * 32.0 * piece));
  if (blocks > 0 && grid > blocks) grid = blocks;
  const double us = microseconds(20, [&](cudaStream_t s) {
    scattered<piece, rows, row_first><<<grid, threads, 0, s>>>(out, row_words, columns, 1.0f);
  });
  const double bytes = 4.0 * grid * warps * rows * 32 * piece;
  std::printf("stores,%d,%d,%s,%ld,%ld,%.1f,%.3f\n", piece, rows, row_first ? "rows" : "words", row_words,
              grid, bytes / 1e6, us);
}

template <int piece, int rows>
void run_orders(float* out, long row_words, double megabytes, int blocks) {
  run_scattered<piece, rows, false>(out, row_words, megabytes, blocks);
  run_scattered<piece, rows, true>(out, row_words, megabytes, blocks);
}

}  // namespace

int main() {
  auto* const out = device_room<float>(512 << 20);
  auto* const a = device_room<float>(64 << 20);
  auto* const b = device_room<float>(64 << 20);
  std::printf("experiment,piece_words,rows,inner,row_words,blocks,megabytes,us\n");
  for (const int what : {0, 1, 2, 3, 4, 5, 6, 7, 9, 16, 17, 20, 21}) {
    for (const int blocks : {132, 1}) {
      const double us =
          microseconds(400, [&](cudaStream_t s) { accesses<<<blocks, 256, 0, s>>>(what, a, b, out, a); });
      std::printf("accesses %d,,,,,%d,,%.4f\n", what, blocks, us);
    }
  }
  for (const long row_words : {65536L, 47089L}) {
    for (const double megabytes : {5.0, 10.0, 20.0, 135.0}) {
      run_orders<1, 8>(out, row_words, megabytes, 0);
      run_orders<2, 8>(out, row_words, megabytes, 0);
      run_orders<4, 4>(out, row_words, megabytes, 0);
      run_orders<4, 16>(out, row_words, megabytes, 0);
      run_orders<8, 4>(out, row_words, megabytes, 0);
      run_orders<8, 8>(out, row_words, megabytes, 0);
      run_orders<8, 16>(out, row_words, megabytes, 0);
      run_orders<16, 8>(out, row_words, megabytes, 0);
    }
    // One SM's own way to L2.
    run_orders<1, 16>(out, row_words, 135, 1);
    run_orders<4, 16>(out, row_words, 135, 1);
    run_orders<8, 16>(out, row_words, 135, 1);
    run_orders<16, 16>(out, row_words, 135, 1);
  }
}
