#pragma once
// What host and device share of implicit_gemm beside the tiles: its launch parameters and the arithmetic of a
// pixel's window. No other header may be included here: this file is also compiled by NVRTC.

#if defined(__CUDACC__)
#  define TILECAST_WINDOW_HD __host__ __device__ __forceinline__
#else
#  define TILECAST_WINDOW_HD inline
#endif

namespace tilecast::implicit_gemm {

struct Params {
  int filters;     // M
  int depth;       // C * K * K: weights of one filter
  int pixels;      // N * out_pixels: columns of the product
  int out_pixels;  // of one image and filter
  int out_width;
  int height, width;     // of the map
  int channel_elements;  // H * W
  int image_elements;    // C * H * W
  int stride, pad;
  int tiles_m;   // tiles along the filters
  int parts;     // blocks that share a tile's reduction
  int dilation;  // elements of the map from one weight to the next; the kernel asks only where it is not 1
};

// A weight's place in the filter: rows and columns of the window are bits of one word, 16 each, so that one
// comparison says whether the map has what the weight wants. At most 15 of each: bits 15 and 31 belong to no
// row or column.
constexpr int most_filter_rows = 15;
constexpr unsigned no_weight = 1U << 31;

struct alignas(8) Weight {
  int offset;     // of its channel, row and column, in elements of the map
  unsigned bits;  // its row and its column
};

// `dilation`: params.dilation, or the constant 1, which leaves no trace of it in the code.
TILECAST_WINDOW_HD constexpr Weight weight_at(int k, int filter_size, int dilation, const Params& params) {
  const int taps = filter_size * filter_size;
  const int channel = k / taps, tap = k - channel * taps;
  const int row = tap / filter_size, column = tap - row * filter_size;
  return {channel * params.channel_elements + row * dilation * params.width + column * dilation,
          k < params.depth ? 1U << row | 1U << (16 + column) : no_weight};
}

struct Window {
  int offset;     // of its first element in the input; outside the map where padding is
  unsigned bits;  // the filter's rows and columns whose elements lie within the map
};

// Bits [low, high) of those below `count`.
TILECAST_WINDOW_HD constexpr unsigned bits_between(int low, int high, int count) {
  const int from = low < 0 ? 0 : low > count ? count : low;
  const int to = high < from ? from : high > count ? count : high;
  return (1U << to) - (1U << from);
}

// The first of the filter's rows, `dilation` apart, that begins `distance` elements away or farther; 0 or
// less where all do.
TILECAST_WINDOW_HD constexpr int first_row_from(int distance, int dilation) {
  return (distance + dilation - 1) / dilation;
}

// Of a column of the product; one beyond the last has nothing within the map.
TILECAST_WINDOW_HD constexpr Window window_at(int pixel, int filter_size, int dilation,
                                              const Params& params) {
  const int image = pixel / params.out_pixels, in_image = pixel - image * params.out_pixels;
  const int out_y = in_image / params.out_width, out_x = in_image - out_y * params.out_width;
  const int y = out_y * params.stride - params.pad, x = out_x * params.stride - params.pad;
  if (pixel >= params.pixels) return {0, 0};
  return {
      image * params.image_elements + y * params.width + x,
      bits_between(first_row_from(-y, dilation), first_row_from(params.height - y, dilation), filter_size) |
          bits_between(first_row_from(-x, dilation), first_row_from(params.width - x, dilation), filter_size)
              << 16};
}

TILECAST_WINDOW_HD constexpr bool within_map(const Window& window, const Weight& weight) {
  return (window.bits & weight.bits) == weight.bits;
}

// Floats of shared memory for each k of a step: two steps' weights.
constexpr int table_floats_per_k = 4;

}  // namespace tilecast::implicit_gemm
