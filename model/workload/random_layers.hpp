#pragma once
// Layers drawn at random by a seed, so that a model can be scored on shapes that nobody chose.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/workload/suites.hpp"

namespace tilecast {

// The distribution. Layer i of a seed depends on the seed and i alone, so a longer list begins with a shorter
// one. "log" draws an octave uniformly, then an integer of it; a shape beyond `random_limits` or equal to an
// earlier one is drawn again. Of each four layers in turn:
//   one channel      C 1, stride 1, no padding; N 1 to 8 (3 in 4: 1), map 7 to 512, M log 8 to 1023, K
//   several channels stride 1, no padding; N, map, C and M log 2 to 1023, K
//   matrix product   M and K log 16 to 4095, N log 16 to 16383
//   any convolution  N, map, C and M log 1 to 1023, K, stride 1 or 2, pad 0 to K / 2
// with N: 1 in half of all, else log 2 to 127 or 128; map: one in two of 7 14 28 56 112 224, one in sixteen
// 225 to 512, else 7 to 224, and one in four not square; C and M: in half of all rounded to a multiple of 16;
// K: 1, 3, 3, 3, 5 or 7.
struct RandomLimits {
  double fmas = 8e9;                    // about 0.4 ms at 20 T multiply-adds a second, 5 ms at a bad config
  double elements = 128.0 * (1 << 20);  // of input, filters and output: 512 MB
};
inline constexpr RandomLimits random_limits{};

// Named "random-SEED"; its layers "random-SEED-1", ...
Suite random_suite(std::size_t count, std::uint64_t seed);

// Whether the name is "random:...".
bool is_random_suite(std::string_view name);
// "random:40:100": 40 layers of seed 100. Throws InputError when malformed.
Suite parse_random_suite(std::string_view name);

}  // namespace tilecast
