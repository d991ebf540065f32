#include "validation/reference.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// The definition, with all loops: what the im2col product must equal.
std::vector<double> by_definition(const ConvShape& s, const std::vector<float>& in,
                                  const std::vector<float>& filters) {
  std::vector<double> out;
  const auto at = [](const std::vector<float>& v, std::int64_t i) { return v[static_cast<std::size_t>(i)]; };
  for (std::int64_t n = 0; n < s.N; ++n)
    for (std::int64_t m = 0; m < s.M; ++m)
      for (std::int64_t oy = 0; oy < s.out_h(); ++oy)
        for (std::int64_t ox = 0; ox < s.out_w(); ++ox) {
          double sum = 0;
          for (std::int64_t c = 0; c < s.C; ++c)
            for (std::int64_t ky = 0; ky < s.K; ++ky)
              for (std::int64_t kx = 0; kx < s.K; ++kx) {
                const auto y = oy * s.stride + ky * s.dilation - s.pad;
                const auto x = ox * s.stride + kx * s.dilation - s.pad;
                if (y < 0 || x < 0 || y >= s.H || x >= s.W) continue;
                sum += double{at(in, ((n * s.C + c) * s.H + y) * s.W + x)} *
                       double{at(filters, ((m * s.C + c) * s.K + ky) * s.K + kx)};
              }
          out.push_back(sum);
        }
  return out;
}

}  // namespace

TEST_CASE("convolve_float64: a 2 x 2 filter on a 3 x 3 map, by hand", "[reference]") {
  const ConvShape s{.C = 1, .H = 3, .W = 3, .M = 1, .K = 2};
  const std::vector<float> map{1, 2, 3, 4, 5, 6, 7, 8, 9}, filter{1, 0, 0, 10};
  CHECK(convolve_float64(s, map, filter) == std::vector<double>{51, 62, 84, 95});
}

TEST_CASE("convolve_float64: padding, stride, channels and images, by hand", "[reference]") {
  // 2 images x 2 channels of 2 x 2, one 3 x 3 filter a channel: 1 everywhere and 100 everywhere. With pad 1
  // each output sums its whole image: channel sums 10 and 26, 1 and 2.
  const ConvShape s{.N = 2, .C = 2, .H = 2, .W = 2, .M = 1, .K = 3, .stride = 1, .pad = 1};
  const std::vector<float> in{1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 0, 0, 2, 0, 0, 0};
  std::vector<float> filters(18, 1);
  std::fill(filters.begin() + 9, filters.end(), 100.0f);
  const auto out = convolve_float64(s, in, filters);
  CHECK(out == std::vector<double>{2610, 2610, 2610, 2610, 201, 201, 201, 201});
  auto strided = s;
  strided.stride = 2;  // the first output of each image alone
  CHECK(convolve_float64(strided, in, filters) == std::vector<double>{2610, 201});
}

TEST_CASE("convolve_float64: a dilated 2 x 2 filter takes the corners of 3 x 3, by hand", "[reference]") {
  const ConvShape s{.C = 1, .H = 3, .W = 4, .M = 1, .K = 2, .dilation = 2};
  const std::vector<float> map{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, filter{1, 10, 100, 1000};
  CHECK(convolve_float64(s, map, filter) == std::vector<double>{1 + 30 + 900 + 11000, 2 + 40 + 1000 + 12000});
}

TEST_CASE("convolve_float64: equals the definition on odd shapes", "[reference]") {
  const ConvShape shapes[] = {
      {.N = 2, .C = 3, .H = 7, .W = 5, .M = 4, .K = 3, .stride = 2, .pad = 1},
      {.N = 1, .C = 1, .H = 11, .W = 13, .M = 2, .K = 5, .stride = 3, .pad = 0},
      {.N = 1, .C = 5, .H = 4, .W = 9, .M = 3, .K = 1, .stride = 1, .pad = 2},
      {.N = 3, .C = 2, .H = 7, .W = 7, .M = 1, .K = 7, .stride = 1, .pad = 3},
      {.N = 2, .C = 3, .H = 9, .W = 8, .M = 2, .K = 3, .pad = 1, .dilation = 2},
      {.N = 1, .C = 2, .H = 9, .W = 12, .M = 3, .K = 4, .stride = 2, .pad = 2, .dilation = 3}};
  for (const auto& s : shapes) {
    CAPTURE(describe_shape(s));
    const auto in = random_values(s.input_elements(), 1), filters = random_values(s.filter_elements(), 2);
    const auto expected = by_definition(s, in, filters), found = convolve_float64(s, in, filters);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK(found[i] == Approx(expected[i]).epsilon(1e-13).margin(1e-13));
  }
  CHECK_THROWS_WITH(convolve_float64(shapes[0], std::vector<float>(3), {}),
                    "input: 3 values given, expected 210");
}

TEST_CASE("convolve_float64: a layer larger than one block of columns", "[reference]") {
  // 8 Mi / (64 * 9) = 14563 pixels at once; this map has 16384.
  const ConvShape s{.C = 64, .H = 128, .W = 128, .M = 1, .K = 3, .stride = 1, .pad = 1};
  const std::vector<float> in(static_cast<std::size_t>(s.input_elements()), 1.0f);
  const std::vector<float> filters(static_cast<std::size_t>(s.filter_elements()), 1.0f);
  const auto out = convolve_float64(s, in, filters);
  CHECK(out.front() == 64 * 4);          // a corner
  CHECK(out[1] == 64 * 6);               // an edge
  CHECK(out[128 * 64 + 64] == 64 * 9);   // inside
  CHECK(out[128 * 127 + 64] == 64 * 6);  // the last row, in the second block
  CHECK(out.back() == 64 * 4);
}

TEST_CASE("random_values: magnitudes from 1/16 to 1, both signs, repeatable", "[reference]") {
  const auto values = random_values(20000, 5);
  CHECK(values == random_values(20000, 5));
  CHECK(values != random_values(20000, 6));
  double sum = 0, magnitude = 0;
  for (const float v : values) {
    REQUIRE(std::abs(v) >= 1.0f / 16);
    REQUIRE(std::abs(v) < 1.0f);
    sum += v;
    magnitude += std::abs(v);
  }
  CHECK(std::abs(sum / 20000) < 0.02);  // standard error 0.0042
  CHECK(magnitude / 20000 == Approx(17.0 / 32).epsilon(0.02));
  CHECK(std::set<float>(values.begin(), values.end()).size() > 19900);
  CHECK(input_seed(3) != filter_seed(3));
}

TEST_CASE("max_rel_error: relative to the largest reference; poison is infinitely wrong", "[reference]") {
  const std::vector<double> reference{1, -4, 2};
  CHECK(max_rel_error(std::vector<float>{1, -4, 2}, reference) == 0);
  CHECK(max_rel_error(std::vector<float>{1, -3, 2}, reference) == 0.25);
  CHECK(std::isinf(max_rel_error(std::vector<float>{1, -4, std::nanf("")}, reference)));
  CHECK(std::isinf(
      max_rel_error(std::vector<float>{1, -4, std::numeric_limits<float>::infinity()}, reference)));
  CHECK(std::isinf(max_rel_error(std::vector<float>{1}, std::vector<double>{0})));
  CHECK(max_rel_error(std::vector<float>{0}, std::vector<double>{0}) == 0);
}

TEST_CASE("float32_tolerance: float32 sums pass, TF32 inputs and a missing product fail", "[reference]") {
  for (const std::int64_t C : {1, 8, 64, 512}) {
    const ConvShape s{.C = C, .H = 12, .W = 12, .M = 8, .K = 3};
    CAPTURE(C);
    const auto in = random_values(s.input_elements(), 1), filters = random_values(s.filter_elements(), 2);
    const auto reference = by_definition(s, in, filters);
    std::vector<float> straight, missing;
    const auto pixels = s.out_h() * s.out_w();
    for (std::int64_t i = 0; i < s.output_elements(); ++i) {
      const auto m = i / pixels, y0 = i % pixels / s.out_w(), x0 = i % s.out_w();
      float sum = 0, last = 0;
      for (std::int64_t c = 0; c < C; ++c)
        for (std::int64_t k = 0; k < 9; ++k) {
          last = sum;
          sum = std::fma(in[static_cast<std::size_t>((c * s.H + y0 + k / 3) * s.W + x0 + k % 3)],
                         filters[static_cast<std::size_t>((m * C + c) * 9 + k)], sum);
        }
      straight.push_back(sum);
      missing.push_back(last);
    }
    CHECK(max_rel_error(straight, reference) < float32_tolerance(s) / 2);
    CHECK(max_rel_error(missing, reference) > 2 * library_tolerance(s));

    const auto tf32 = [](std::vector<float> values) {  // 10 bits of mantissa stay
      for (float& v : values)
        v = std::ldexp(std::nearbyint(std::ldexp(v, 11 - std::ilogb(v) - 1)), std::ilogb(v) + 1 - 11);
      return values;
    };
    std::vector<float> rounded;
    for (const double v : by_definition(s, tf32(in), tf32(filters)))
      rounded.push_back(static_cast<float>(v));
    CHECK(max_rel_error(rounded, reference) > library_tolerance(s));
  }
}
