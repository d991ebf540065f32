#include "validation/reference.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/support/errors.hpp"
#include "validation/device/random_values.h"

namespace tilecast {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Pixels a product covers, so that the columns of a large layer take at most about 64 MB.
std::int64_t pixels_at_once(std::int64_t depth) {
  return std::max<std::int64_t>(1, (std::int64_t{8} << 20) / depth);
}

void check_size(const char* tensor, std::size_t given, std::int64_t expected) {
  if (static_cast<std::int64_t>(given) == expected) return;
  throw Error(ExitCode::failure, fmt::format("{}: {} values given, expected {}", tensor, given, expected));
}

// Column j holds the C K K input values under output pixel first + j of one image; zeros outside the map.
void im2col(const ConvShape& s, std::span<const float> image, std::int64_t first, Eigen::MatrixXd& columns) {
  columns.setZero();
  for (std::int64_t j = 0; j < columns.cols(); ++j) {
    const auto y0 = (first + j) / s.out_w() * s.stride - s.pad;
    const auto x0 = (first + j) % s.out_w() * s.stride - s.pad;
    std::int64_t row = 0;
    for (std::int64_t c = 0; c < s.C; ++c) {
      for (std::int64_t y = y0; y < y0 + s.filter_extent(); y += s.dilation) {
        for (std::int64_t x = x0; x < x0 + s.filter_extent(); x += s.dilation, ++row) {
          if (y >= 0 && y < s.H && x >= 0 && x < s.W)
            columns(row, j) = image[static_cast<std::size_t>((c * s.H + y) * s.W + x)];
        }
      }
    }
  }
}

}  // namespace

std::vector<float> random_values(std::int64_t count, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = random_value(seed, i);
  return values;
}

std::uint64_t input_seed(std::uint64_t seed) {
  return 2 * seed;
}
std::uint64_t filter_seed(std::uint64_t seed) {
  return 2 * seed + 1;
}

std::vector<double> convolve_float64(const ConvShape& s, std::span<const float> input,
                                     std::span<const float> filters) {
  check_size("input", input.size(), s.input_elements());
  check_size("filters", filters.size(), s.filter_elements());
  const auto depth = s.C * s.K * s.K, pixels = s.out_h() * s.out_w();
  const RowMajor weights =
      Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(filters.data(),
                                                                                              s.M, depth)
          .cast<double>();
  std::vector<double> output(static_cast<std::size_t>(s.output_elements()));
  const auto step = std::min(pixels, pixels_at_once(depth));
  Eigen::MatrixXd columns;
  for (std::int64_t n = 0; n < s.N; ++n) {
    const auto image = input.subspan(static_cast<std::size_t>(n * s.C * s.H * s.W),
                                     static_cast<std::size_t>(s.C * s.H * s.W));
    Eigen::Map<RowMajor> result(output.data() + n * s.M * pixels, s.M, pixels);
    for (std::int64_t first = 0; first < pixels; first += step) {
      const auto count = std::min(step, pixels - first);
      columns.resize(depth, count);
      im2col(s, image, first, columns);
      result.middleCols(first, count).noalias() = weights * columns;
    }
  }
  return output;
}

double max_rel_error(std::span<const float> output, std::span<const double> reference) {
  check_size("output", output.size(), static_cast<std::int64_t>(reference.size()));
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double value = output[i];
    worst = std::max(worst, std::isfinite(value) ? std::abs(value - reference[i])
                                                 : std::numeric_limits<double>::infinity());
    largest = std::max(largest, std::abs(reference[i]));
  }
  return worst == 0 ? 0 : worst / largest;
}

// Higham (2002), "Accuracy and Stability of Numerical Algorithms", section 3.1 bounds the error of n added
// products by n u sum|x w| (u = 2^-24), which no kernel comes near: rounding errors have random signs. With
// random signs of the products too, the sum grows as sqrt(n), each of its n roundings adds u times that, and
// the error grows as u sqrt(n) sqrt(n) / sqrt(6); relative to the largest output, u sqrt(n) within a small
// factor. 8 u sqrt(n) leaves room for the largest of many errors, and 16 u for short sums; a missing or
// doubled product is off by about 1 / (5 sqrt(n)), and TF32 inputs by 3e-4: both are far outside for every n
// below 10^5.
double float32_tolerance(const ConvShape& s) {
  constexpr double unit_roundoff = 0x1p-24;
  return unit_roundoff * (8 * std::sqrt(static_cast<double>(s.C * s.K * s.K)) + 16);
}

double library_tolerance(const ConvShape& shape) {
  return std::max(float32_tolerance(shape), 1e-4);
}

}  // namespace tilecast
