#include "microbench/reduction.hpp"

#include "model/support/statistics.hpp"
#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("reduction: median of odd and even counts, quantiles between order statistics") {
  CHECK(median(std::vector<double>{3, 1, 2}) == 2);
  CHECK(median(std::vector<double>{4, 1, 3, 2}) == 2.5);
  CHECK(quantile(std::vector<double>{0, 10, 20, 30}, 0.1) == Approx(3));
  CHECK(quantile(std::vector<double>{7}, 0.9) == 7);
}

TEST_CASE("reduction: the interval holds the median, repeats exactly and needs three samples") {
  const std::vector<double> samples = {10, 11, 9, 10, 12, 8, 10, 11, 9};
  const auto interval = median_interval(samples);
  REQUIRE(interval);
  CHECK(interval->low <= 10);
  CHECK(interval->high >= 10);
  CHECK(interval->low >= 8);
  CHECK(interval->high <= 12);
  CHECK(interval->low < interval->high);
  CHECK(median_interval(samples)->low == interval->low);
  CHECK_FALSE(median_interval(std::vector<double>{1, 2}));
  const auto exact = median_interval(std::vector<double>{4, 4, 4});
  CHECK((exact->low == 4 && exact->high == 4));
  const auto few = median_interval(std::vector<double>{7, 3, 9, 4, 5});  // their range: 1 in 17 resamples
  CHECK((few->low == 3 && few->high == 9));
}

TEST_CASE("reduction: a disturbed repeat is left out, an ordinary spread is not") {
  CHECK(without_outliers(std::vector<double>{10, 11, 9, 10, 500}) == std::vector<double>{10, 11, 9, 10});
  CHECK(without_outliers(std::vector<double>{10, 12, 8, 11, 9}).size() == 5);
  CHECK(without_outliers(std::vector<double>{4, 4, 4, 5}).size() == 4);  // no spread to judge by
}

TEST_CASE("reduction: the slope of two windows has no overhead in it") {
  const double overhead = 137, per_step = 4;
  CHECK(slope(256, overhead + 256 * per_step, 768, overhead + 768 * per_step) == Approx(4));
}

TEST_CASE("reduction: of several sets the one with the highest median, not with the highest sample") {
  const std::vector<std::vector<double>> sets = {{5, 6, 7}, {1, 8, 8}, {2, 2, 99}, {8, 8, 1}};
  CHECK(highest_median(sets) == 1);
  CHECK(highest_median(std::vector<std::vector<double>>{{3}}) == 0);
}

TEST_CASE("reduction: the way to the steady state is left out") {
  CHECK(steady_part({9, 9, 5, 5, 5, 5}) == std::vector<double>{5, 5, 5, 5});
  CHECK(steady_part({7, 5}) == std::vector<double>{7, 5});
  CHECK(steady_part({}).empty());
}

TEST_CASE("reduction: rounds a cycle become operations a cycle, or cycles of one operation") {
  CHECK(scaled({0.25, 0.5}, 512) == std::vector<double>{128, 256});
  CHECK(cycles_each({0.25, 0.125}, 2) == std::vector<double>{2, 4});  // 4 and 8 cycles a round of two
}

TEST_CASE("reduction: one lucky point does not make the plateau") {
  CHECK(plateau(std::vector<double>{1, 2, 4, 4.1, 4, 9, 4.05}) == Approx(4.1));
  CHECK(plateau(std::vector<double>{1, 3, 4, 3.5, 2}) == Approx(3.5));  // too many streams: it falls again
}

TEST_CASE("reduction: pooling makes a curve non-decreasing and leaves a rising one alone") {
  CHECK(increasing(std::vector<double>{1, 2, 3}) == std::vector<double>{1, 2, 3});
  CHECK(increasing(std::vector<double>{1, 3, 2, 4}) == std::vector<double>{1, 2.5, 2.5, 4});
  CHECK(increasing(std::vector<double>{3, 2, 1}) == std::vector<double>{2, 2, 2});
}

TEST_CASE("reduction: x at a level, linear in log2 x") {
  const std::vector<double> x = {1, 4, 16}, y = {10, 20, 30};
  CHECK(x_at_level(x, y, 25).value() == Approx(8));  // half of two octaves beyond 4
  CHECK(x_at_level(x, y, 30).value() == Approx(16));
  CHECK_FALSE(x_at_level(x, y, 31));
  CHECK_FALSE(x_at_level(x, y, 9));  // already above at the first point
}

TEST_CASE("reduction: two clusters are told from one") {
  const std::vector<double> halves = {200, 201, 199, 202, 198, 400, 401, 399, 402, 398};
  const auto found = two_clusters(halves);
  REQUIRE(found);
  CHECK(median(found->lower) == 200);
  CHECK(median(found->upper) == 400);
  std::vector<double> even;
  for (int i = 0; i < 100; ++i)
    even.push_back(200 + i);
  CHECK_FALSE(two_clusters(even));  // a spread over SMs is no second partition
  CHECK_FALSE(two_clusters(std::vector<double>{5, 5, 5, 5, 5}));
  std::vector<double> lone(30, 200.0);
  lone[0] = 900;  // one disturbed sample is no cluster
  CHECK_FALSE(two_clusters(lone));
}

TEST_CASE("reduction: slopes go repeat by repeat, as far as both sides have one") {
  const std::vector<double> few = {10, 11}, many = {40, 44, 99};
  CHECK(slopes(1, few, 4, many) == std::vector<double>{10, 11});
  CHECK(slopes(1, {}, 4, many).empty());
}

}  // namespace tilecast
