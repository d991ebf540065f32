#include "cli/worst_rows.hpp"

#include "cli/models.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

Comparison pair_of(double measured_us, double predicted_us, std::string config) {
  return {.family = "chang_multi",
          .suite = "s",
          .layer = "one",
          .problem = {.C = 64, .H = 28, .W = 28, .M = 64, .K = 3},
          .config = std::move(config),
          .measured = Seconds{measured_us * 1e-6},
          .predicted = Seconds{predicted_us * 1e-6}};
}

}  // namespace

TEST_CASE("worst rows: by relative error, whatever its sign", "[cli]") {
  const std::vector<Comparison> pairs{pair_of(10, 11, "a"), pair_of(10, 6, "b"), pair_of(10, 13, "c")};
  CHECK(worst_places(pairs, 2) == std::vector<std::size_t>{1, 2});
  CHECK(worst_places(pairs, 9).size() == 3);
}

TEST_CASE("worst rows: a row that is twice as slow says which bound could carry it", "[cli]") {
  const DeviceProfile device = load_device("h100");
  const std::string config = "S_bytes=32 M_tile=64 Wx_tile=128";
  const BoundModel model = bind_analytic({});
  std::vector<Comparison> pairs{pair_of(1, 1, config)};
  const std::vector<std::size_t> first{0};
  const double predicted =
      RowExplainer(pairs, device, model, {}).explain(first).front().prediction.time.value();
  pairs = {pair_of(2e6 * predicted, 1e6 * predicted, config)};
  RowExplainer explainer(pairs, device, model, {}, std::span(&model, 1));  // itself as the other one
  const auto e = explainer.explain(first).front();
  REQUIRE(e.residual.front().factor);
  CHECK(*e.residual.front().factor > 1);
  CHECK_FALSE(carriers_text(e).empty());
  REQUIRE(e.others.size() == 1);
  CHECK(e.others[0].first == "analytic");
  CHECK(e.others[0].second == Approx(-0.5));
  CHECK(others_text(e) == "analytic -50.0 %");
  CHECK_FALSE(e.like);  // alone
  CHECK(e.counts.empty());
  CHECK(counts_text(e.counts).empty());
  const auto sentences = explanation_sentences(e);
  CHECK(sentences.size() == 4);
  CHECK(sentences[0].starts_with("could carry it alone: "));
  CHECK(sentences[2] == "rows that share its values are not off like it");
}

TEST_CASE("worst rows: counts are told where the description is off", "[cli]") {
  CHECK(counts_text(std::vector<ExplainedCount>{{"shared loads", 100, 100, 101}, {"barriers", 5, 5, {}}}) ==
        "as described");
  CHECK(counts_text(
            std::vector<ExplainedCount>{{"shared loads", 100, 100, 125}, {"global stores", 100, 100, 90}}) ==
        "shared loads 25 % too many, global stores 10 % too few");
}

TEST_CASE("worst rows: the longest bounds, as shares of the time", "[cli]") {
  Prediction p;
  p.time = Seconds{10};
  p.bounds = {{"fma", "A1", Seconds{2}},
              {"issue", "A2", Seconds{7.5}},
              {"dram", "A5", Seconds{}},
              {"l2", "A4", Seconds{4}}};
  CHECK(bounds_text(p, 2) == "issue 75 %, l2 40 %");
  CHECK(bounds_text(p) == "issue 75 %, l2 40 %, fma 20 %");
}
