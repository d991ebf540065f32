#pragma once
// The kernel run on the host, lane by lane, by its own index functions: for tests on machines without a GPU.

#include <cstdint>
#include <vector>

#include "kernels/chang_single/division.hpp"

namespace tilecast::chang_single {

struct Emulation {
  std::vector<float> output;  // NaN where nothing was written
  std::vector<int> writes;    // how often each output was written
  bool out_of_range = false;  // an access outside a shared buffer or a tensor
  // Of block (0, 0) of the first image, summed over its warps and steps.
  std::int64_t items = 0, visits = 0;
  std::int64_t map_copies = 0, filter_copies = 0;  // 16-byte and 4-byte warp instructions
  // Of the whole grid.
  std::int64_t all_items = 0;
  std::int64_t map_words = 0;  // asked for, all blocks
};

Emulation emulate(const ConvShape& shape, const Division& division, const std::vector<float>& input,
                  const std::vector<float>& filters);

}  // namespace tilecast::chang_single
