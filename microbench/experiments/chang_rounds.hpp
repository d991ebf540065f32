#pragma once
// The problems of chang_rounds.cu, which cli/simulate_loops.cpp simulates, too: a map of `width` squared, one
// tile of filters, and two depths whose difference is what a line takes.

#include "kernels/chang_multi/chang_multi_index.hpp"

namespace tilecast::chang_rounds {

constexpr int width = 28;

constexpr int few_channels(int K) {
  return K == 1 ? 256 : 64;
}
constexpr int many_channels(int K) {
  return 3 * few_channels(K);
}
// Lines of the reduction by which the two differ.
constexpr int lines_between(int K) {
  return (many_channels(K) - few_channels(K)) * K;
}

// One slice takes all lines of the reduction.
inline chang_multi::Params params_of(int K, int M_tile, int channels) {
  chang_multi::Params p{};
  p.width = width;
  p.channel_elements = width * width;
  p.image_elements = channels * p.channel_elements;
  p.lines = p.lines_per_slice = channels * K;
  p.taps = p.lines * K;
  p.filters = p.tile_filters = M_tile;
  p.out_height = p.out_width = width - K + 1;
  return p;
}

}  // namespace tilecast::chang_rounds
