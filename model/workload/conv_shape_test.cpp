#include "model/workload/conv_shape.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("ConvShape: 5x5 map, 3x3 filter, stride 2, pad 1 gives 3x3", "[workload]") {
  const ConvShape s{.N = 1, .C = 2, .H = 5, .W = 5, .M = 4, .K = 3, .stride = 2, .pad = 1};
  CHECK(s.out_h() == 3);
  CHECK(s.out_w() == 3);
  CHECK(s.fmas() == 4 * 3 * 3 * 2 * 9);
  CHECK(s.compulsory_bytes().value() == 4 * (2 * 25 + 4 * 2 * 9 + 4 * 9));
}

TEST_CASE("gemm_shape: same operations as the GEMM", "[workload]") {
  const auto s = gemm_shape(3, 5, 7);
  CHECK(s.fmas() == 3 * 5 * 7);
  CHECK(s.output_elements() == 3 * 5);
}

TEST_CASE("shape_problem: names the field, the value and what was expected", "[workload]") {
  CHECK(shape_problem({.C = 3, .H = 8, .W = 8, .M = 4, .K = 3}).empty());
  CHECK(shape_problem({.H = 8, .W = -8, .M = 4, .K = 3}) == "W: -8, expected a positive integer");
  CHECK(shape_problem({.H = 4, .W = 4, .K = 7, .pad = 1}) == "K: 7, expected at most the padded map (6 x 6)");
  CHECK(shape_problem({.N = 1 << 30, .C = 1 << 30, .H = 1 << 30, .W = 8}).find("overflows") !=
        std::string::npos);
}
