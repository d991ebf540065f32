#pragma once
// The gemms' stores with vectors alone (store_tile of kernels/gemm_tile/gemm_tile_device.hpp): tiles of the
// maps of several images. Of narrow_tiles.cu, row_halves.cu and written_layouts.cu; word_tiles.hpp has the
// stores word by word.

#include "experiment.hpp"

namespace vector_tile {

// `images` times `rows` rows of `columns` words, one behind the other.
struct Layout {
  int images, rows, columns;
};

// By one store, whatever the compiler knows of the values.
__device__ __forceinline__ void store_four(float* to, float4 v) {
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}

// Tile `block` of bm x bn, neighbours in the grid along the rows. Whole groups of four columns lie in one
// image.
template <int TM, int TN, int lanes_n>
__device__ __forceinline__ void store_tile(float* out, const Layout& l, int wm, int tiles_m, int bm, int bn,
                                           int block) {
  constexpr int lanes_m = 32 / lanes_n;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_n = lane / 2 % lanes_n, lane_m = lane % 2 + 2 * (lane / (2 * lanes_n));
  const int first_m = block % tiles_m * bm + warp % wm * lanes_m * TM + 4 * lane_m;
  const int first_n = block / tiles_m * bn + warp / wm * lanes_n * TN + 4 * lane_n;
  const float value = static_cast<float>(threadIdx.x);
#pragma unroll
  for (int j = 0; j < TN; j += 4) {
    const int n = first_n + j * lanes_n;
    const int image = n / l.columns, column = n - image * l.columns;
    float* const first = out + (static_cast<long long>(image) * l.rows + first_m) * l.columns + column;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int m = i / 4 * 4 * lanes_m + i % 4;
      if (image < l.images && first_m + m < l.rows)
        store_four(first + static_cast<long long>(m) * l.columns, make_float4(value, value, i, j));
    }
  }
}

template <int TM, int TN, int lanes_n>
__global__ void tile(float* out, Layout l, int wm, int tiles_m, int bm, int bn) {
  store_tile<TM, TN, lanes_n>(out, l, wm, tiles_m, bm, bn, blockIdx.x);
}

}  // namespace vector_tile
