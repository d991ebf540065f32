#pragma once
// The problem of gemm_steps.cu, which cli/simulate_loops.cpp simulates, too: a 3 x 3 convolution of 128
// images of 28 x 28, as implicit_gemm has it, and two depths whose difference is what a step takes.

#include "kernels/gemm_tile/gemm_tile_index.hpp"
#include "kernels/implicit_gemm/implicit_gemm_index.hpp"

namespace tilecast::gemm_steps {

constexpr int K = 3, width = 28, images = 128, filters = 256;
constexpr int few_channels = 64, many_channels = 128;
constexpr int most_blocks = 3;  // of an SM

constexpr int steps_between(int BK) {
  return (many_channels - few_channels) * K * K / BK;
}

// Floats between two filters, of both depths: how L1's sets take a tile's rows depends on it.
constexpr int filter_stride = many_channels * K * K;

inline implicit_gemm::Params params_of(int BM, int channels) {
  constexpr int out_width = width - K + 1;
  implicit_gemm::Params p{};
  p.filters = filters;
  p.depth = channels * K * K;
  p.pixels = images * out_width * out_width;
  p.out_pixels = out_width * out_width;
  p.out_width = out_width;
  p.height = p.width = width;
  p.channel_elements = width * width;
  p.image_elements = channels * width * width;
  p.stride = 1;
  p.tiles_m = filters / BM;
  p.parts = 1;
  p.dilation = 1;
  return p;
}

// The gemm's stages, and implicit_gemm's table of a step's weights, twice.
constexpr int shared_bytes(const gemm_tile::Geometry& g) {
  return 4 * gemm_tile::tile_floats(g) + 2 * g.BK * static_cast<int>(sizeof(implicit_gemm::Weight));
}

}  // namespace tilecast::gemm_steps
