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

TEST_CASE("ConvShape: a dilation of 3 spreads 3 rows over 7", "[workload]") {
  ConvShape s{.N = 1, .C = 2, .H = 12, .W = 9, .M = 4, .K = 3, .stride = 2, .pad = 1, .dilation = 3};
  CHECK(s.filter_extent() == 7);
  CHECK(s.out_h() == (12 + 2 - 7) / 2 + 1);
  CHECK(s.out_w() == (9 + 2 - 7) / 2 + 1);
  CHECK(s.filter_elements() == 4 * 2 * 9);
  CHECK(s.fmas() == 4 * 4 * 3 * 2 * 9);
  CHECK(describe_shape(s) == "N1 C2 12x9 M4 K3 s2 p1 d3");
  s.dilation = 1;
  CHECK(s.filter_extent() == 3);
  CHECK(describe_shape(s) == "N1 C2 12x9 M4 K3 s2 p1");
  s.K = 1;
  s.dilation = 100;
  CHECK(s.filter_extent() == 1);
  CHECK(shape_problem(s).empty());
}

TEST_CASE("shape_problem: a dilation that takes the filter beyond the map is named", "[workload]") {
  CHECK(shape_problem({.H = 5, .W = 7, .K = 3, .pad = 1, .dilation = 3}).empty());
  CHECK(shape_problem({.H = 5, .W = 6, .K = 3, .pad = 1, .dilation = 4}) ==
        "dilation: 4, expected (K - 1) * dilation + 1 = 9 at most the padded map (7 x 8)");
  CHECK(shape_problem({.H = 8, .W = 8, .dilation = 0}) == "dilation: 0, expected a positive integer");
  CHECK(shape_problem({.H = 4, .W = 4, .K = 5, .dilation = 2}) ==
        "K: 5, expected at most the padded map (4 x 4)");
  CHECK(shape_problem({.H = 1 << 30, .W = 1 << 30, .K = 1 << 29, .dilation = 1 << 30}).find("dilation: ") ==
        0);
}
