#pragma once
// Who does what in the single-channel kernel: which block has which filters and rows, which warp which tiles,
// and where each value lies in shared memory. The kernel, describe() and the tests evaluate the same
// functions. Compiled by NVRTC too: no includes, and no identifier named like a compile-time constant of the
// kernel (K, TILE_X, TILE_Y, LOAD_BYTES, LOADS_IN_FLIGHT).

#ifdef __CUDACC__
#  define TILECAST_SHARED_FUNCTION __host__ __device__ __forceinline__
#else
#  define TILECAST_SHARED_FUNCTION inline
#endif

namespace tilecast::chang_single {

// n / d as a multiplication, for 0 <= n < 2^31: Granlund and Montgomery, "Division by Invariant Integers
// using Multiplication" (PLDI 1994), theorem 4.2 with N = 31.
struct FastDivisor {
  unsigned multiplier;
  unsigned shift;
};

TILECAST_SHARED_FUNCTION FastDivisor fast_divisor(unsigned d) {
  unsigned log2_ceiling = 0;
  while ((1ull << log2_ceiling) < d)
    ++log2_ceiling;
  const unsigned shift = 31 + log2_ceiling;
  return {static_cast<unsigned>(((1ull << shift) + d - 1) / d), shift};
}

TILECAST_SHARED_FUNCTION int divide(int n, FastDivisor by) {
  return static_cast<int>((static_cast<unsigned long long>(static_cast<unsigned>(n)) * by.multiplier) >>
                          by.shift);
}

TILECAST_SHARED_FUNCTION int ceil_divide(int n, int d) {
  return (n + d - 1) / d;
}
TILECAST_SHARED_FUNCTION int ceil_divide(int n, int d, FastDivisor by) {
  return divide(n + d - 1, by);
}
TILECAST_SHARED_FUNCTION int smaller(int a, int b) {
  return a < b ? a : b;
}

// Run-time arguments of the kernel. Block (x, y) has `block_filters` filters from x * block_filters on and
// `block_rows` output rows from y * block_rows on (fewer at the ends); it works through its filters in pieces
// and, within a piece, through its rows in strips.
struct Params {
  int images, map_height, map_width, filters;
  int out_height, out_width;
  int block_filters, piece_filters;
  int block_rows, strip_rows;
  int warps_log2;        // warps of a block: a power of two
  int map_buffer_words;  // shared memory: map buffers first, then filter buffers
  int filter_buffer_words;
  int map_buffers;  // 2 when strips alternate, else 1
  int filter_buffers;
  FastDivisor tiles_x;        // thread tiles in a row of outputs
  FastDivisor strip_divisor;  // of strip_rows
  FastDivisor piece_divisor;  // of piece_filters
};

// A stretch of filters or rows.
struct Range {
  int first, count;
};

// Part `index` of `total` things cut every `size`; empty past the end.
TILECAST_SHARED_FUNCTION Range part(int total, int size, int index) {
  const int first = index * size;
  const int left = total - first;
  return {first, left < size ? (left > 0 ? left : 0) : size};
}

// A copy of consecutive words that keeps 16-byte alignment: word `first` of the tensor lands on word `shift`
// of the buffer, and the copy starts `shift` words early.
struct AlignedCopy {
  long long first;  // tensor word of buffer word 0, a multiple of 4
  int shift;        // buffer word of the first word asked for, 0 to 3
  int words;        // buffer words to fill, from 0 on
  int present;      // of those, how many lie inside the tensor
};

TILECAST_SHARED_FUNCTION AlignedCopy aligned_copy(long long first, int count, long long tensor_words) {
  const int shift = static_cast<int>(first & 3);
  const long long left = tensor_words - (first - shift);
  const int words = (shift + count + 3) & ~3;
  return {first - shift, shift, words, left < words ? static_cast<int>(left) : words};
}

// The map rows under `rows` output rows from `first_row` on.
TILECAST_SHARED_FUNCTION AlignedCopy map_copy(const Params& p, int k, int image, int first_row, int rows) {
  const long long map_words = static_cast<long long>(p.map_height) * p.map_width;
  return aligned_copy(image * map_words + static_cast<long long>(first_row) * p.map_width,
                      (rows + k - 1) * p.map_width, p.images * map_words);
}

// Words of a filter in shared memory: padded so that each starts at 16 bytes and is read by 16-byte loads. A
// filter of one weight is read by a 4-byte load and needs none.
TILECAST_SHARED_FUNCTION constexpr int filter_pitch(int k) {
  return k == 1 ? 1 : (k * k + 3) / 4 * 4;
}

// Where word `word` of consecutive unpadded filters goes.
TILECAST_SHARED_FUNCTION int filter_word(int word, int k) {
  const int filter = word / (k * k);
  return filter * filter_pitch(k) + (word - filter * k * k);
}

// Words per load of a thread's window: as wide as the columns of tiles and the map's pitch stay aligned. The
// map is tile_x * n + k - 1 wide, so this follows from k and tile_x alone.
TILECAST_SHARED_FUNCTION constexpr int window_vector(int k, int tile_x) {
  return tile_x == 4 ? ((k - 1) % 4 == 0 ? 4 : 2) : tile_x;
}

// Work of one step, one strip times one piece: units of 32 thread tiles, times filters. Items are ordered
// unit by unit with the filters innermost, and each warp takes an equal stretch of them.
TILECAST_SHARED_FUNCTION Range warp_items(int units, int filters, int warp, int warps_log2) {
  const int items = units * filters;
  return part(items, (items + (1 << warps_log2) - 1) >> warps_log2, warp);
}

struct Tile {
  int row, column;  // first output of the tile, within the strip
  int valid_rows;   // rows of the tile that lie in the strip; <= 0 for a lane without a tile
};

// Tile `index` of a strip of `rows` rows; tiles past the end repeat the last one, with no valid row.
TILECAST_SHARED_FUNCTION Tile tile_at(int index, int tiles, int rows, FastDivisor tiles_x, int row_tiles,
                                      int tile_x, int tile_y) {
  const int inside = smaller(index, tiles - 1);
  const int y = divide(inside, tiles_x);
  const int row = y * tile_y;
  return {row, (inside - y * row_tiles) * tile_x, index < tiles ? rows - row : 0};
}

// First word of a tile's window, from the strip's first word on.
TILECAST_SHARED_FUNCTION int window_word(const Tile& tile, int map_width) {
  return tile.row * map_width + tile.column;
}

}  // namespace tilecast::chang_single
