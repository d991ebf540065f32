#include "validation/scores.hpp"

#include <algorithm>
#include <random>

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

Comparison pair_of(double measured, double predicted, std::int64_t M = 1) {
  Comparison c;
  c.family = "toy";
  c.suite = "s";
  c.layer = "layer-" + std::to_string(M);
  c.problem = {.C = 1, .H = 8, .W = 8, .M = M, .K = 3};
  c.measured = Seconds{measured};
  c.predicted = Seconds{predicted};
  return c;
}

MeasuredRow measured_row(std::int64_t P, double time) {
  MeasuredRow row;
  row.family = "toy";
  row.suite = "s";
  row.problem = {.C = 1, .H = 8, .W = 8, .M = 1, .K = 3};
  row.config = {{"method", "1"}, {"P", std::to_string(P)}};
  row.time = Seconds{time};
  return row;
}

PredictedRow predicted_row(std::int64_t P, double time) {
  const auto m = measured_row(P, time);
  return {m.family, m.problem, m.config, Seconds{time}, {}, {}};
}

}  // namespace

TEST_CASE("spearman: order, reversal, ties and constants", "[scores]") {
  const std::vector<double> up{1, 2, 3}, squares{1, 4, 9}, down{3, 2, 1}, flat{5, 5, 5}, tie{1, 1, 2};
  CHECK(*spearman(up, squares) == Approx(1));
  CHECK(*spearman(up, down) == Approx(-1));
  CHECK_FALSE(spearman(up, flat));
  CHECK_FALSE(spearman(std::vector<double>{1}, std::vector<double>{2}));
  // Ranks 1,2,3 against 1.5,1.5,3: covariance 1.5, variances 2 and 1.5: sqrt(3)/2.
  CHECK(*spearman(up, tie) == Approx(0.8660254038));
}

TEST_CASE("score: hand-computed errors and regrets over two layers", "[scores]") {
  // Layer 1: errors +1, -0.5, 0; predicted best is the second config, which is the slowest: regret 4/1 - 1.
  // Its three best hold the best. Layer 2: one config, error +0.25, no rank correlation.
  const std::vector<Comparison> pairs{pair_of(2, 4), pair_of(4, 2), pair_of(1, 3, 1), pair_of(4, 5, 2)};
  const auto scores = score(pairs);
  REQUIRE(scores.size() == 1);
  const auto& s = scores[0];
  CHECK(s.n == 4);
  CHECK(s.layers == 2);
  CHECK(s.median_abs_error == Approx(0.75));  // of 0.25, 0.5, 1, 2
  CHECK(s.mean_abs_error == Approx(0.9375));
  CHECK(s.p90_abs_error == Approx(1.7));  // rank 2.7: 1 + 0.7 * (2 - 1)
  CHECK(s.max_abs_error == Approx(2));
  CHECK(s.mean_signed_error == Approx((1 - 0.5 + 2 + 0.25) / 4));
  CHECK(*s.spearman == Approx(-0.5));  // ranks 2,3,1 against 3,1,2
  CHECK(s.top1_regret_mean == Approx(1.5));
  CHECK(s.top1_regret_max == Approx(3));
  CHECK(s.top1_regret_over_10 == Approx(0.5));
  CHECK(s.top3_regret_mean == 0);
  CHECK_FALSE(s.interval_coverage);
}

TEST_CASE("score: of configs predicted alike the slowest counts, or the mean over their orders", "[scores]") {
  for (const bool swapped : {false, true}) {
    std::vector<Comparison> pairs{pair_of(1, 7), pair_of(2, 7)};
    if (swapped) std::swap(pairs[0], pairs[1]);
    CHECK(score(pairs)[0].top1_regret_max == Approx(1));  // 2 for 1
    const auto s = score(pairs, Ties::mean)[0];
    CHECK(s.top1_regret_max == Approx(0.5));  // 1 or 2, for 1
    CHECK(s.top3_regret_mean == 0);
    CHECK(*s.spearman == 0);  // they differ, and the model does not know it
  }
  // Three of 1, 2, 3, 4: the best is 1 in three of four cases, else 2.
  const auto alike =
      score(std::vector{pair_of(4, 7), pair_of(3, 7), pair_of(2, 7), pair_of(1, 7)}, Ties::mean)[0];
  CHECK(alike.top1_regret_max == Approx(1.5));
  CHECK(alike.top3_regret_mean == Approx(0.25));
  // 3 is surely first; then two of 1, 5, 6: 1 in two of three cases, else 3.
  const auto some =
      score(std::vector{pair_of(5, 7), pair_of(3, 6), pair_of(6, 7), pair_of(1, 7)}, Ties::mean)[0];
  CHECK(some.top1_regret_max == Approx(2));
  CHECK(some.top3_regret_mean == Approx(2.0 / 3));
  // Nothing to know.
  CHECK_FALSE(score(std::vector{pair_of(2, 1), pair_of(2, 1)})[0].spearman);
}

TEST_CASE("score: the fourth best is outside the top three", "[scores]") {
  const auto s = score(std::vector{pair_of(3, 1), pair_of(2, 2), pair_of(5, 3), pair_of(1, 4)})[0];
  CHECK(s.top1_regret_max == Approx(2));
  CHECK(s.top3_regret_mean == Approx(1));
}

TEST_CASE("score: interval coverage counts the ends as inside", "[scores]") {
  std::vector<Comparison> pairs{pair_of(1, 1), pair_of(2, 1), pair_of(3, 1), pair_of(9, 1)};
  for (std::size_t i = 0; i < 3; ++i) {
    pairs[i].low = Seconds{1};
    pairs[i].high = Seconds{2};
  }
  CHECK(*score(pairs)[0].interval_coverage == Approx(2.0 / 3));  // the fourth has no interval
}

TEST_CASE("score: families and suites are never pooled", "[scores]") {
  std::vector<Comparison> pairs{pair_of(1, 2), pair_of(1, 3), pair_of(1, 1)};
  pairs[1].family = "other";
  pairs[2].suite = "t";
  const auto scores = score(pairs);
  REQUIRE(scores.size() == 3);
  CHECK(scores[0].mean_signed_error == Approx(1));
  CHECK(scores[1].family == "other");
  CHECK(scores[1].mean_signed_error == Approx(2));
  CHECK(scores[2].suite == "t");
  CHECK(scores[2].mean_signed_error == 0);
  CHECK(score({}).empty());
}

TEST_CASE("score: properties over random layers", "[scores]") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> time(1e-6, 1e-4);
  for (int round = 0; round < 100; ++round) {
    std::vector<Comparison> pairs;
    const int layers = 1 + round % 4, configs = 1 + round % 13;
    for (int layer = 0; layer < layers; ++layer) {
      for (int i = 0; i < configs; ++i)
        pairs.push_back(pair_of(time(random), time(random), layer + 1));
    }
    const auto s = score(pairs)[0];
    CHECK(s.median_abs_error <= s.p90_abs_error);
    CHECK(s.p90_abs_error <= s.max_abs_error);
    CHECK(std::abs(s.mean_signed_error) <= s.mean_abs_error * (1 + 1e-12));
    CHECK(s.top3_regret_mean >= 0);
    CHECK(s.top3_regret_mean <= s.top1_regret_mean);
    CHECK(s.top1_regret_mean <= s.top1_regret_max * (1 + 1e-12));
    if (s.spearman) CHECK(std::abs(*s.spearman) <= 1 + 1e-12);

    // The order of rows does not matter, up to the order of summation.
    auto shuffled = pairs;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    const auto t = score(shuffled)[0];
    CHECK(t.mean_abs_error == Approx(s.mean_abs_error));
    CHECK(t.top1_regret_mean == Approx(s.top1_regret_mean));
    CHECK(t.max_abs_error == s.max_abs_error);

    // A model off by a constant factor chooses perfectly, and its error is that factor.
    for (auto& p : pairs)
      p.predicted = 1.5 * p.measured;
    const auto scaled = score(pairs)[0];
    CHECK(scaled.top1_regret_max == 0);
    CHECK(scaled.median_abs_error == Approx(0.5));
    CHECK(scaled.mean_signed_error == Approx(0.5));
    if (scaled.spearman) CHECK(*scaled.spearman == Approx(1));
  }
}

TEST_CASE("join: pairs by family, problem and config; counts what has no counterpart", "[scores]") {
  std::vector<MeasuredRow> measured{measured_row(1, 10), measured_row(2, 20), measured_row(3, 30),
                                    measured_row(2, 99)};
  std::swap(measured[1].config[0], measured[1].config[1]);  // axes in another order
  auto wrong = measured_row(4, 0);
  wrong.time.reset();
  wrong.status = "wrong result (max_rel_error 0.5)";
  measured.push_back(wrong);
  const std::vector<PredictedRow> predicted{predicted_row(1, 11), predicted_row(2, 22), predicted_row(9, 90)};
  const auto joined = join(measured, predicted);
  REQUIRE(joined.pairs.size() == 2);
  CHECK(joined.pairs[1].measured == Seconds{20});  // the first row of a key counts
  CHECK(joined.pairs[1].predicted == Seconds{22});
  CHECK(joined.pairs[0].config == "method=1 P=1");
  CHECK(joined.only_measured == 1);
  CHECK(joined.only_predicted == 1);
  CHECK(joined.not_timed == 1);
  CHECK(join({}, predicted).only_predicted == 3);
}
