#include "model/paper/single_channel.hpp"

#include "model/paper/paper_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::paper;

namespace {

ConvShape layer(std::int64_t map, std::int64_t M, std::int64_t K) {
  return {.C = 1, .H = map, .W = map, .M = M, .K = K};
}
const auto device = device_constants(gtx_1080_ti());

}  // namespace

TEST_CASE("single channel: D1, Th1, D2, Th2 of 28x28, M 512, K 3 (P3, P4, P5, P6)", "[paper]") {
  const auto s = layer(28, 512, 3);
  const auto one = method1_piece(s, device, 1);  // ceil(512/28) = 19 filters a SM
  CHECK(one.data.value() == 4 * (9 * 19 + (28 + 2) * 28));
  CHECK(one.fmas == 9 * 19 * 28 * 28);
  const auto cut = method1_piece(s, device, 3);  // ceil(28/3) = 10 rows
  CHECK(cut.data.value() == 4 * (9 * 19 + (10 + 2) * 28));
  CHECK(cut.fmas == 9 * 19 * 10 * 28);
  const auto two = method2_piece(s, device, 5);  // ceil(512/5) = 103 filters, 1 row a SM
  CHECK(two.data.value() == 4 * (9 * 103 + (1 + 2) * 28));
  CHECK(two.fmas == 9 * 103 * 1 * 28);
}

TEST_CASE("single channel: bounds of P and Q (P7, P8)", "[paper]") {
  const auto s = layer(28, 512, 3);
  const auto P = range_of_P(s, device, {});
  CHECK(P.lower == 1);
  CHECK(P.upper == 2);  // 134,064 / 66,048 = 2.03
  const auto Q = range_of_Q(s, device, {});
  CHECK(Q.lower == 1);
  CHECK(Q.upper == 1);  // 129,024 / 66,048 = 1.95
  CHECK(range_of_P(s, device_constants(gtx_1080_ti(), {.fma_count = FmaCount::fmas}), {}).upper == 4);
  // Never more strips than rows: 49 x 19 x 28 x 28 / 66,048 = 11.05 > 8 rows when the map is 8 high.
  CHECK(range_of_P({.C = 1, .H = 8, .W = 2000, .M = 512, .K = 7}, device, {}).upper == 8);
}

TEST_CASE("single channel: smallest P in range, smaller data wins (P9)", "[paper]") {
  const auto c = choose_single(layer(28, 512, 3), device, {});
  CHECK(c.method == 1);  // D1 = 4,044 B < D2 = 18,768 B
  CHECK(c.P == 1);
  CHECK(c.Q == 1);
  CHECK(c.piece().data.value() == 4044);
  CHECK(c.method2.data.value() == 18768);
}

TEST_CASE("single channel: an empty range gives 1, and equal or larger D1 gives method 2 (P9)", "[paper]") {
  const auto c = choose_single(layer(28, 32, 1), device, {});
  CHECK(c.P_range.empty());  // 2 x 784 / 66,048 < 1
  CHECK(c.Q_range.empty());
  CHECK(c.method == 2);  // D1 = 4 (2 + 784) = 3,144 B, D2 = 4 (32 + 28) = 240 B
  CHECK(c.method1.data.value() == 3144);
  CHECK(c.method2.data.value() == 240);
}

TEST_CASE("single channel: the printed bound leaves D1 over the shared memory (quirk 6)", "[paper]") {
  const auto s = layer(1024, 32, 3);
  const auto printed = choose_single(s, device, {});
  CHECK(printed.method == 1);
  CHECK(printed.P == 47);  // 4,194,304 / 90,040 = 46.6
  CHECK(printed.method1.data.value() == 98376);
  CHECK_FALSE(printed.Q_range.lower);  // 98,304 - 4 x 1024 x 39 < 0: no Q fits
  const auto exact = choose_single(s, device, {.lower_bound = LowerBound::exact});
  CHECK(exact.P == 49);  // 48 strips still have 22 rows, 49 have 21
  CHECK(exact.method1.data.value() == 4 * (9 * 2 + 23 * 1024));
}

TEST_CASE("single channel: data never grow with P or Q, nor do FMAs", "[paper]") {
  for (const auto& s : {layer(56, 256, 5), layer(1024, 32, 3), layer(7, 1000, 7)}) {
    for (std::int64_t n = 2; n <= s.H; ++n) {
      CHECK(method1_piece(s, device, n).data <= method1_piece(s, device, n - 1).data);
      CHECK(method1_piece(s, device, n).fmas <= method1_piece(s, device, n - 1).fmas);
    }
    for (std::int64_t n = 2; n <= s.M; ++n)
      CHECK(method2_piece(s, device, n).data <= method2_piece(s, device, n - 1).data);
  }
}
