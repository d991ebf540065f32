#include "kernels/implicit_gemm/implicit_gemm.hpp"

#include <cstring>
#include <set>

#include "kernels/implicit_gemm/implicit_gemm_cases.hpp"
#include "kernels/implicit_gemm/implicit_gemm_index.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

implicit_gemm::Params params_of(const ConvShape& shape) {
  const auto device = load_device("h100");
  const Config config{{"BM", 32}, {"BN", 32},   {"BK", 8},     {"TM", 4},
                      {"TN", 4},  {"async", 1}, {"stages", 2}, {"split_k", 1}};
  const auto plan = implicit_gemm::plan(shape, config, device);
  implicit_gemm::Params params;
  REQUIRE(plan.params.size() == sizeof(params));
  std::memcpy(&params, plan.params.data(), sizeof(params));
  return params;
}

}  // namespace

TEST_CASE("implicit_gemm: windows and weights add up to the convolution's indices") {
  const ConvShape shapes[] = {
      {.N = 2, .C = 3, .H = 5, .W = 7, .M = 2, .K = 3, .stride = 1, .pad = 1},
      {.N = 2, .C = 2, .H = 6, .W = 5, .M = 2, .K = 3, .stride = 2, .pad = 3},
      {.N = 1, .C = 1, .H = 20, .W = 17, .M = 2, .K = 15, .stride = 1, .pad = 7},
      {.N = 3, .C = 4, .H = 9, .W = 9, .M = 2, .K = 5, .stride = 3, .pad = 0},
      {.N = 3, .C = 4, .H = 4, .W = 4, .M = 2, .K = 1, .stride = 2, .pad = 2},
      {.N = 2, .C = 3, .H = 9, .W = 8, .M = 2, .K = 3, .pad = 2, .dilation = 2},
      {.N = 1, .C = 2, .H = 9, .W = 11, .M = 2, .K = 5, .stride = 2, .pad = 5, .dilation = 3},
      {.N = 2, .C = 2, .H = 4, .W = 5, .M = 2, .K = 3, .pad = 9, .dilation = 4},
      {.N = 1, .C = 1, .H = 20, .W = 70, .M = 2, .K = 15, .pad = 30, .dilation = 5}};
  for (const ConvShape& s : shapes) {
    INFO(describe_shape(s));
    const auto params = params_of(s);
    std::size_t wrong = 0;
    const int taps = static_cast<int>(s.C * s.K * s.K);
    for (int pixel = 0; pixel < params.pixels; ++pixel) {
      const auto window = implicit_gemm::window_at(pixel, static_cast<int>(s.K), params.dilation, params);
      const std::int64_t image = pixel / (s.out_h() * s.out_w()), rest = pixel % (s.out_h() * s.out_w());
      for (int k = 0; k < taps; ++k) {
        const auto weight = implicit_gemm::weight_at(k, static_cast<int>(s.K), params.dilation, params);
        const std::int64_t c = k / (s.K * s.K), i = k / s.K % s.K, j = k % s.K;
        const std::int64_t y = rest / s.out_w() * s.stride - s.pad + i * s.dilation;
        const std::int64_t x = rest % s.out_w() * s.stride - s.pad + j * s.dilation;
        const bool inside = y >= 0 && y < s.H && x >= 0 && x < s.W;
        if (implicit_gemm::within_map(window, weight) != inside) ++wrong;
        if (inside && window.offset + weight.offset != ((image * s.C + c) * s.H + y) * s.W + x) ++wrong;
      }
      // Beyond the last weight of the last step.
      for (int k = taps; k < taps + 32; ++k)
        if (implicit_gemm::within_map(
                window, implicit_gemm::weight_at(k, static_cast<int>(s.K), params.dilation, params)))
          ++wrong;
    }
    CHECK(wrong == 0);
    // Beyond the last pixel of the last tile.
    const auto beyond =
        implicit_gemm::window_at(params.pixels, static_cast<int>(s.K), params.dilation, params);
    CHECK(beyond.bits == 0);
    CHECK_FALSE(
        within_map(beyond, implicit_gemm::weight_at(0, static_cast<int>(s.K), params.dilation, params)));
  }
}

TEST_CASE("implicit_gemm: bits of a range") {
  CHECK(implicit_gemm::bits_between(0, 3, 3) == 0b111);
  CHECK(implicit_gemm::bits_between(1, 9, 3) == 0b110);
  CHECK(implicit_gemm::bits_between(-4, 2, 3) == 0b011);
  CHECK(implicit_gemm::bits_between(3, 5, 3) == 0);
  CHECK(implicit_gemm::bits_between(-5, -2, 3) == 0);
  CHECK(implicit_gemm::bits_between(2, 1, 3) == 0);
  CHECK(implicit_gemm::bits_between(0, 15, 15) == 0x7FFF);
}

TEST_CASE("implicit_gemm: the first row at a distance") {
  for (int dilation = 1; dilation <= 4; ++dilation) {
    CHECK(implicit_gemm::first_row_from(0, dilation) == 0);
    CHECK(implicit_gemm::first_row_from(4 * dilation, dilation) == 4);
    CHECK(implicit_gemm::first_row_from(4 * dilation + 1, dilation) == 5);
    for (int distance = -9; distance < 0; ++distance)
      CHECK(implicit_gemm::first_row_from(distance, dilation) <= 0);
  }
}

TEST_CASE("implicit_gemm: any stride, padding and dilation, filters of up to 15 rows") {
  CHECK_FALSE(implicit_gemm::supports({.C = 3, .H = 20, .W = 20, .M = 4, .K = 15, .stride = 7, .pad = 9}));
  CHECK(implicit_gemm::supports({.C = 3, .H = 20, .W = 20, .M = 4, .K = 16})->reason == "K 16: at most 15");
  CHECK_FALSE(implicit_gemm::supports({.C = 3, .H = 20, .W = 20, .M = 4, .K = 3, .pad = 9, .dilation = 18}));
  CHECK(implicit_gemm::supports({.C = 3, .H = 20, .W = 20, .M = 4, .K = 3, .dilation = 10})
            ->reason.starts_with("dilation: 10, expected"));
  // Few outputs of a map that is nearly all padding: its places would not fit in 32 bits.
  CHECK(implicit_gemm::supports({.H = 9, .W = 9, .K = 2, .pad = 20000, .dilation = 40000})->reason ==
        "the padded map exceeds 2^30 elements");
  CHECK(implicit_gemm::supports({.N = 512, .C = 64, .H = 256, .W = 256, .M = 4, .K = 3})->reason ==
        "input, filters or output exceed 2^30 elements");
}

TEST_CASE("implicit_gemm: a plan launches a block for each tile and part, images side by side") {
  const auto device = load_device("h100");
  const Config config{{"BM", 64}, {"BN", 128},  {"BK", 16},    {"TM", 8},
                      {"TN", 8},  {"async", 0}, {"stages", 2}, {"split_k", 2}};
  const auto plan = implicit_gemm::plan(
      {.N = 3, .C = 64, .H = 14, .W = 14, .M = 100, .K = 3, .stride = 1, .pad = 1}, config, device);
  CHECK(plan.grid_x == 2 * 5 * 2);  // 588 pixels
  CHECK(plan.cluster_x == 2);
  CHECK(plan.threads == 128);
  CHECK(plan.dynamic_shared_bytes == 4 * (2 * (16 * 68 + 16 * 128) + 4 * 16));
  CHECK(plan.code.defines.back().name == "K_SIZE");
  CHECK(plan.code.defines.back().value == 3);
}

TEST_CASE("implicit_gemm: dilation is code of its own, and none for a dilation of 1 or one weight") {
  const auto device = load_device("h100");
  const Config config{{"BM", 64}, {"BN", 128},  {"BK", 16},    {"TM", 8},
                      {"TN", 8},  {"async", 0}, {"stages", 2}, {"split_k", 1}};
  const auto key = [&](std::int64_t K, std::int64_t dilation) {
    const ConvShape shape{.C = 64, .H = 14, .W = 14, .M = 100, .K = K, .pad = 4, .dilation = dilation};
    return implicit_gemm::plan(shape, config, device).code.key();
  };
  CHECK(key(3, 1).ends_with(" K_SIZE=3"));
  CHECK(key(3, 2).ends_with(" K_SIZE=3 DILATED=1"));
  CHECK(key(3, 4) == key(3, 2));
  CHECK(key(1, 4) == key(1, 1));
}

TEST_CASE("implicit_gemm: what dilated windows ask of L2") {
  // 32 pixels of one row of 32; stride 1: a row's 3 columns touch 32 + 2 elements, those 4 apart 32 + 2 * 4.
  const auto device = load_device("h100");
  const Config config{{"BM", 32}, {"BN", 32},   {"BK", 8},     {"TM", 4},
                      {"TN", 4},  {"async", 1}, {"stages", 2}, {"split_k", 1}};
  const auto asked = [&](const ConvShape& shape) {
    return implicit_gemm::describe(shape, config, device, nullptr).streams[0].requested.value();
  };
  const auto expected = [](const ConvShape& s, double elements) {
    const double tiles = static_cast<double>(s.out_h() * s.out_w()) / 32,
                 steps = 9;  // of 8 of the 72 weights
    return 4 * elements / 9 * 8 * steps * tiles;
  };
  const ConvShape near{.C = 8, .H = 34, .W = 34, .M = 32, .K = 3};
  CHECK(asked(near) == Approx(expected(near, 3 * 34)));
  ConvShape apart = near;
  apart.H = apart.W = 40;
  apart.dilation = 4;
  CHECK(asked(apart) == Approx(expected(apart, 3 * 40)));
  // Stride 2 and dilation 4: columns 0, 2, ... 62 and 4 and 8 farther: the 36 even ones up to 70.
  apart.H = apart.W = 71;
  apart.stride = 2;
  CHECK(asked(apart) == Approx(expected(apart, 3 * 36)));
  // Stride 1 and dilation 8, two rows of 16: no row is shared, of the columns 16 + 2 * 8.
  const ConvShape rows{.C = 8, .H = 32, .W = 32, .M = 32, .K = 3, .dilation = 8};
  CHECK(asked(rows) == Approx(expected(rows, std::min(2.0 * 3 * 32, 32.0 * 9))));
}

TEST_CASE("implicit_gemm: the test cases are feasible and reach every path") {
  const auto device = load_device("h100");
  std::set<std::int64_t> sizes, strides, dilations, stages, splits, stores;
  for (const auto& [shape, c] : implicit_gemm::test_cases()) {
    INFO(describe_shape(shape) << " " << describe_config(c));
    const auto refusal = implicit_gemm::feasible(shape, c, device);
    INFO((refusal ? refusal->reason : ""));
    REQUIRE_FALSE(refusal);
    sizes.insert(shape.K);
    strides.insert(shape.stride);
    dilations.insert(shape.dilation);
    stages.insert(10 * c["async"] + c["stages"]);
    splits.insert(c["split_k"]);
    stores.insert(implicit_gemm::plan(shape, c, device).code.defines[10].value);
  }
  CHECK(sizes == std::set<std::int64_t>{1, 3, 5, 7, 11, 15});
  CHECK(strides == std::set<std::int64_t>{1, 2, 3, 4});
  CHECK(dilations == std::set<std::int64_t>{1, 2, 3, 4, 5});
  CHECK(stages == std::set<std::int64_t>{1, 2, 12, 13, 14, 15});
  CHECK(splits == std::set<std::int64_t>{1, 2, 4, 8, 16});
  CHECK(stores == std::set<std::int64_t>{1, 4});
}
