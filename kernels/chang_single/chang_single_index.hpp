#pragma once
// Who does what in the single-channel kernel: which block has which filters and rows, which warp which units
// and filters, and where each value lies in shared memory. The kernel, describe() and the tests evaluate the
// same functions. Compiled by NVRTC too: no includes, and no identifier named like a compile-time constant of
// the kernel (K, WIDTH, TILE_X, TILE_Y, ALIGN, THREADS,
// PERIOD, ONE_STEP, LOAD_BYTES, LOADS_IN_FLIGHT, MAP_HEIGHT, FILTERS, BLOCK_FILTERS, BLOCK_ROWS,
// UNIT_WARPS_LOG2).

#ifdef __CUDACC__
#  define TILECAST_SHARED_FUNCTION __host__ __device__ __forceinline__
#else
#  define TILECAST_SHARED_FUNCTION inline
#endif

namespace tilecast::chang_single {

TILECAST_SHARED_FUNCTION constexpr int ceil_divide(int n, int d) {
  return (n + d - 1) / d;
}
TILECAST_SHARED_FUNCTION int smaller(int a, int b) {
  return a < b ? a : b;
}
TILECAST_SHARED_FUNCTION int larger(int a, int b) {
  return a > b ? a : b;
}

// Run-time arguments of the kernel. Block (x, y) has `block_filters` filters from x * block_filters on and
// `block_rows` output rows from y * block_rows on (fewer at the ends); it works through its filters in pieces
// and, within a piece, through its rows in strips.
// Where a block has one step they are compile-time constants.
struct Params {
  int map_height, filters;
  int block_filters, block_rows;
  int unit_warps_log2;   // see WarpWork
  int map_buffer_words;  // shared memory: map buffers first, then filter buffers
  int images;
  int piece_filters, strip_rows;
  int filter_buffer_words;
  int map_buffers, filter_buffers;  // 2 when strips or pieces alternate, else 1
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
TILECAST_SHARED_FUNCTION AlignedCopy map_copy(const Params& p, int k, int width, int image, int first_row,
                                              int rows) {
  const long long map_words = static_cast<long long>(p.map_height) * width;
  return aligned_copy(image * map_words + static_cast<long long>(first_row) * width, (rows + k - 1) * width,
                      p.images * map_words);
}

// Whether copies of the map that begin a multiple of `share` words behind its begin all begin with a line of
// L2. Such ones go past L1 (cp.async.cg), as neighbours' requests for the same lines are then served
// together; from the middle of a line on a copy costs up to three times as much past L1, and nothing more
// through it (microbench experiments split_sectors.csv and shared_reads_ways.csv). A block that makes one
// copy begins with its share of rows, others with any row.
TILECAST_SHARED_FUNCTION constexpr bool copies_begin_lines(int share) {
  return share % 32 == 0;
}

// Shared memory for the map under `rows` output rows: windows reach down to the last row of the last tile,
// needed or not, and up to 3 words before the first keep the copy aligned.
TILECAST_SHARED_FUNCTION constexpr int map_buffer_words(int rows, int tile_y, int width, int k) {
  return (((rows + tile_y - 1) / tile_y * tile_y + k - 1) * width + 3 + 3) / 4 * 4;
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

// A thread computes a tile: tile_x consecutive outputs of a strip in each of tile_y rows. With one row a tile
// may straddle the end of a row, since rows of outputs follow each other without gaps: so a warp stores
// consecutive addresses whatever the width. It is then cut into groups that do not straddle, each with its
// own window of the map. Tiles of more rows share a window, and their rows are a multiple of tile_x wide.
TILECAST_SHARED_FUNCTION constexpr int group_words(int out_width, int tile_x) {
  return out_width % tile_x == 0 ? tile_x : group_words(out_width, tile_x / 2);
}

// Words per load of a group's window: as wide as the columns of groups and the map's pitch stay aligned. The
// map is group * n + k - 1 wide, so this follows from k and group alone.
TILECAST_SHARED_FUNCTION constexpr int window_vector(int k, int group) {
  return group == 4 ? ((k - 1) % 4 == 0 ? 4 : 2) : group;
}

// The strip's rows in bands of tile_y; within a band tiles are counted by the outputs of its first row.
TILECAST_SHARED_FUNCTION constexpr int band_outputs(int rows, int tile_y, int out_width) {
  return ceil_divide(rows, tile_y) * out_width;
}

// A unit is a warp's worth of tiles. Units start where the output's address is a multiple of `align` words,
// hence up to align - 1 words before the strip's first output: `lead` words, which differ between filters
// whose planes start differently.
TILECAST_SHARED_FUNCTION int lead_of(unsigned long long first_output_word, int align) {
  return static_cast<int>(first_output_word & static_cast<unsigned>(align - 1));
}
TILECAST_SHARED_FUNCTION constexpr int unit_words(int tile_x) {
  return 32 * tile_x;
}

// Warps form a rectangle: 2^unit_warps_log2 along units, the others along filters. A warp takes units
// first_unit, first_unit + unit_step, ... and of each the filters first_filter, first_filter + filter_step,
// ... filter_step is a multiple of the period with which leads repeat, so all of these have one lead. Where
// the period is longer than the warps along filters, the warp then does the same from first_filter +
// filter_lanes on, and so on.
struct WarpWork {
  int first_unit, unit_step;
  int first_filter, filter_step;
  int filter_lanes;  // warps along filters; fewer than filter_step where the period is longer
};
TILECAST_SHARED_FUNCTION WarpWork warp_work(int warp, int warps_log2, int unit_warps_log2, int period) {
  const int filter_lanes = 1 << (warps_log2 - unit_warps_log2);
  return {warp & ((1 << unit_warps_log2) - 1), 1 << unit_warps_log2, warp >> unit_warps_log2,
          larger(filter_lanes, period), filter_lanes};
}

// First output of a lane's tile: negative or past the end in part of the first and last unit, where nothing
// may be stored.
TILECAST_SHARED_FUNCTION int tile_at(int unit, int lane, int lead, int tile_x) {
  return unit * unit_words(tile_x) + lane * tile_x - lead;
}

// Where the group at `output` of `outputs` lies in the strip. Groups outside take the nearest one inside.
struct Place {
  int row;
  int window, output;  // its first word of the map and of the plane of outputs
};
TILECAST_SHARED_FUNCTION Place place_of(int output, int outputs, int group, int tile_y, int out_width,
                                        int k) {
  const int inside = larger(0, smaller(output, outputs - group));
  const int band = static_cast<int>(static_cast<unsigned>(inside) / static_cast<unsigned>(out_width));
  const int row = band * tile_y;
  const int column = inside - band * out_width;
  return {row, row * (out_width + k - 1) + column, row * out_width + column};
}

}  // namespace tilecast::chang_single
