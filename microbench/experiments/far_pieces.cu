// How fast DRAM is read in short pieces of rows that are far apart, and how long a load takes meanwhile.
// Blocks of 128 threads read a tile of 256 rows by 4 KiB each, a piece of every row at a step, 16 bytes a
// lane, four loads of a thread under way; 1024 tiles, 1 GiB in all. A tile's rows are next to each other,
// `pitch` bytes apart; tiles lie below each other first, then beside each other.
//   order: step (all blocks begin with the first piece of their rows), apart (each with another one), random
//   (no tiles: each piece anywhere in the set)
//   gap: cycles that a warp waits between four loads and the next four; an_sm: blocks at once, at most
// CSV to standard output: least of `launches` (default 4), cycles until four loads of a warp have come
// (mean).
//   nvcc -O3 -arch=sm_90a -o far_pieces far_pieces.cu && ./far_pieces [launches]
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "experiment.hpp"

constexpr int rows_of_tile = 256, run_bytes = 4096, blocks = 1024, threads = 128, loads = 4;
enum Order { step, apart, random_places };
constexpr const char* names[] = {"step", "apart", "random"};

__device__ unsigned mixed(unsigned x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

__global__ void run(const char* data, size_t pitch, int tiles, int piece_bits, int order,
                    unsigned pieces_mask, int gap, float* out, unsigned* cycles) {
  const int tile = blockIdx.x % tiles, part = blockIdx.x / tiles;
  const int steps = run_bytes >> piece_bits, in_piece_bits = piece_bits - 4;
  const int batches = rows_of_tile << in_piece_bits >> 9;  // of 4 loads of 128 lanes
  const char* const from =
      data + size_t{pitch} * rows_of_tile * tile + pitch / (blocks / tiles) / 128 * 128 * part;
  const int first = order == apart ? mixed(blockIdx.x) % steps : 0;
  float sum = 0;
  unsigned waited = 0;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const int at = (s + first) % steps << piece_bits;
#pragma unroll 1
    for (int b = 0; b < batches; ++b) {
      const char* source[loads];
#pragma unroll
      for (int i = 0; i < loads; ++i) {
        const int l = (b * loads + i) * threads + threadIdx.x;
        const int row = l >> in_piece_bits, in_piece = (l & ((1 << in_piece_bits) - 1)) * 16;
        if (order == random_places) {
          const unsigned which = mixed((blockIdx.x * steps + s) * rows_of_tile + row) & pieces_mask;
          source[i] = data + (size_t{which} << piece_bits) + in_piece;
        } else {
          source[i] = from + row * pitch + at + in_piece;
        }
      }
      const unsigned begin = now();
      float4 v[loads];
#pragma unroll
      for (int i = 0; i < loads; ++i)
        asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v[i].x), "=f"(v[i].y), "=f"(v[i].z), "=f"(v[i].w)
                     : "l"(source[i]));
#pragma unroll
      for (int i = 0; i < loads; ++i)
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
      asm volatile("" ::"f"(sum) : "memory");
      const unsigned end = now();
      waited += end - begin;
      while (now() - end < static_cast<unsigned>(gap)) {
      }
    }
  }
  if (sum == 12345.0F) *out = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = waited / (steps * batches);
}

struct Room {
  const char* data;
  float* out;
  unsigned* cycles;
  int launches;
};

void row(const Room& room, Order order, int piece, size_t pitch, size_t set, int an_sm, int gap) {
  const int tiles = static_cast<int>(std::min<size_t>(blocks, set / pitch / rows_of_tile));
  int piece_bits = 0;
  while (1 << piece_bits < piece)
    ++piece_bits;
  const int shared = 220 * 1024 / an_sm;
  allow_shared(run, shared);
  const auto us = times_us(1, room.launches, [&] {
    run<<<blocks, threads, shared>>>(room.data, pitch, tiles, piece_bits, order,
                                     static_cast<unsigned>((set >> piece_bits) - 1), gap, room.out,
                                     room.cycles);
    CHECK(cudaGetLastError());
  });
  double cycles = 0;
  for (const unsigned c : to_host(room.cycles, blocks))
    cycles += c;
  const double bytes = static_cast<double>(blocks) * rows_of_tile * run_bytes;
  std::printf("%s,%d,%zu,%zu,%d,%d,%.1f,%.0f,%.0f\n", names[order], piece, pitch, set >> 20, an_sm, gap,
              us[0], 1e-3 * bytes / us[0], cycles / blocks);
  std::fflush(stdout);
}

int main(int count, char** words) {
  constexpr size_t gib = size_t{1} << 30, kib = 1024;
  const Room room{device_room<char>(65 * gib, 0), device_room<float>(4), device_room<unsigned>(4 * blocks),
                  count > 1 ? std::atoi(words[1]) : 4};
  std::printf("order,piece,pitch,set_mib,an_sm,gap,us,gb_s,load_cycles\n");
  for (const int piece : {32, 64, 128, 256, 512}) {
    for (const size_t pitch : {4 * kib, 8 * kib, 16 * kib, 32 * kib, 64 * kib})
      for (const Order order : {step, apart})
        row(room, order, piece, pitch, gib, 8, 0);
    // Rows that are no power of two apart.
    for (const size_t pitch : {16 * kib + 128, 32 * kib + 128, 32 * kib + 4096})
      for (const Order order : {step, apart})
        row(room, order, piece, pitch, pitch * (pitch < 20 * kib ? 65536 : 32768), 8, 0);
    // Pages: the same rows, over more memory.
    for (const size_t pitch : {128 * kib, 512 * kib, 2048 * kib})
      row(room, apart, piece, pitch, pitch * 32768, 8, 0);
    for (const size_t set : {gib / 4, gib, 4 * gib, 16 * gib, 64 * gib})
      row(room, random_places, piece, piece, set, 8, 0);
  }
  // Fewer under way.
  for (const int piece : {32, 64, 128, 512})
    for (const Order order : {step, apart, random_places})
      for (const int an_sm : {1, 2, 4})
        for (const int gap : {0, 1000, 2000, 4000})
          row(room, order, piece, order == random_places ? piece : 32 * kib, gib, an_sm, gap);
  return 0;
}
