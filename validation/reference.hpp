#pragma once
// What a convolution should give: float64 on the CPU, and how far float32 may be from it.

#include <cstdint>
#include <span>
#include <vector>

#include "model/workload/conv_shape.hpp"

namespace tilecast {

// `count` values of the stream of `seed` (device/random_values.h): magnitudes in [1/16, 1), random signs.
std::vector<float> random_values(std::int64_t count, std::uint64_t seed);

// Seeds of a problem's tensors, so that a run can be repeated: input and filters get streams of their own.
std::uint64_t input_seed(std::uint64_t seed);
std::uint64_t filter_seed(std::uint64_t seed);

// NCHW input and OIHW filters to NCHW output, by im2col and Eigen's float64 product. Any stride, pad and
// dilation. Throws Error when a tensor has not the size that the shape asks for.
std::vector<double> convolve_float64(const ConvShape& shape, std::span<const float> input,
                                     std::span<const float> filters);

// max |output - reference| / max |reference|. An output that is not finite, as one that was never written to
// a poisoned buffer, makes it infinite.
double max_rel_error(std::span<const float> output, std::span<const double> reference);

// The largest max_rel_error of a correct float32 kernel that adds C K^2 products in any order (see the .cpp).
double float32_tolerance(const ConvShape& shape);

// The same for a library's kernels, which may transform (Winograd, FFT) and lose some more, but must not
// round their inputs to TF32 (2^-11 each, about 3e-4 in all).
double library_tolerance(const ConvShape& shape);

}  // namespace tilecast
