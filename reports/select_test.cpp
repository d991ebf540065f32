#include "reports/select.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

PredictedPoint point(std::string layer, Config config, double predicted,
                     std::optional<double> measured = {}) {
  PredictedPoint p{.family = "f",
                   .suite = "s",
                   .layer = std::move(layer),
                   .config = config,
                   .predicted = Seconds{predicted}};
  if (measured) p.measured = Seconds{*measured};
  return p;
}

}  // namespace

TEST_CASE("axis_sweep: the group with most measured configs, ascending", "[reports]") {
  const std::vector<PredictedPoint> points = {
      point("a", {{"method", 1}, {"P", 4}}, 1, 1), point("a", {{"method", 1}, {"P", 2}}, 2, 2),
      point("a", {{"method", 3}, {"P", 1}}, 1),    point("a", {{"method", 3}, {"P", 2}}, 1),
      point("a", {{"method", 3}, {"P", 3}}, 1),    point("b", {{"method", 1}, {"P", 1}}, 1, 1)};
  const auto sweep = axis_sweep(points, "P");
  REQUIRE(sweep);
  CHECK(sweep->fixed == "method=1");
  REQUIRE(sweep->points.size() == 2);
  CHECK(sweep->points[0].value == 2);
  CHECK(sweep->points[1].value == 4);
  CHECK_FALSE(sweep->paper_choice);
  CHECK_FALSE(axis_sweep(points, "Q"));
  CHECK_FALSE(axis_sweep(points, "P", "b"));  // one config is no curve
  CHECK_FALSE(axis_sweep(points, "P", "nowhere"));
}

TEST_CASE("axis_sweep: among equal groups the one with the paper's choice", "[reports]") {
  std::vector<PredictedPoint> points = {
      point("a", {{"m", 1}, {"P", 1}}, 1), point("a", {{"m", 1}, {"P", 2}}, 1),
      point("a", {{"m", 2}, {"P", 1}}, 9), point("a", {{"m", 2}, {"P", 2}}, 9)};
  CHECK(axis_sweep(points, "P")->fixed == "m=1");
  points[3].paper_choice = true;
  CHECK(axis_sweep(points, "P")->fixed == "m=2");
  CHECK(axis_sweep(points, "P")->paper_choice == 2);
}

TEST_CASE("axis_sweep: the paper's division is marked whichever way of loading the sweep holds fixed",
          "[reports]") {
  const auto config = [](int p, int loads) {
    return Config{{"method", 1}, {"P", p}, {"Q", 1}, {"loads", loads}};
  };
  std::vector<PredictedPoint> points = {point("a", config(1, 0), 1), point("a", config(2, 0), 1),
                                        point("a", config(3, 0), 1), point("a", config(2, 4), 1),
                                        point("b", config(3, 4), 1)};
  points[3].paper_choice = true;  // by volume, outside the sweep
  points[4].paper_choice = true;  // of another layer
  const auto sweep = axis_sweep(points, "P", "a");
  CHECK(sweep->fixed == "method=1 Q=1 loads=0");
  CHECK(sweep->paper_choice == 2);
}

TEST_CASE("tile_map: one S, the least time over other axes, holes where nothing is feasible", "[reports]") {
  const auto tile = [](int s, int m, int w, int stages) {
    return Config{{"S_bytes", s}, {"M_tile", m}, {"Wx_tile", w}, {"stages", stages}};
  };
  const std::vector<PredictedPoint> points = {
      point("a", tile(32, 64, 128, 2), 5, 7), point("a", tile(32, 64, 128, 3), 4, 8),
      point("a", tile(32, 32, 64, 2), 6), point("a", tile(64, 32, 64, 2), 3)};
  const auto map = tile_map(points, "a", 32);
  REQUIRE(map);
  CHECK(map->m_tiles == std::vector<std::int64_t>{32, 64});
  CHECK(map->wx_tiles == std::vector<std::int64_t>{64, 128});
  CHECK(map->predicted[0] == Seconds{6});
  CHECK_FALSE(map->predicted[1]);
  CHECK(map->predicted[3] == Seconds{4});
  CHECK(map->measured[3] == Seconds{7});
  CHECK_FALSE(map->measured[0]);
  CHECK(tile_map(points)->s_bytes == 64);  // S of the fastest prediction
  CHECK_FALSE(tile_map(points, "a", 128));
}

TEST_CASE("roofline_points: the fastest measured config, else the fastest predicted", "[reports]") {
  auto p = point("a", {{"P", 1}}, 1, 4), q = point("a", {{"P", 2}}, 3, 2), r = point("b", {{"P", 1}}, 5);
  for (auto* x : {&p, &q, &r})
    x->shape = {.C = 1, .H = 2, .W = 2, .M = 1, .K = 1};  // 4 FMAs; (4 + 1 + 4) x 4 bytes
  const std::vector<PredictedPoint> points = {p, q, r};
  const auto roofline = roofline_points(points);
  REQUIRE(roofline.size() == 2);
  CHECK(roofline[0].flops_per_byte == Approx(8.0 / 36));
  CHECK(roofline[0].rate.value() == Approx(4.0));  // 8 flops in 2 s
  CHECK(roofline[0].measured);
  CHECK(roofline[1].rate.value() == Approx(1.6));
  CHECK_FALSE(roofline[1].measured);
}

TEST_CASE("speedup_bars: against the fastest library algorithm of the same suite and layer", "[reports]") {
  const std::vector<PredictedPoint> points = {point("a", {{"P", 1}}, 1, 4), point("a", {{"P", 2}}, 3, 2),
                                              point("b", {{"P", 1}}, 1, 1)};
  const std::vector<BaselinePoint> baselines = {{"cudnn_legacy", "s", "a", "GEMM", Seconds{8}},
                                                {"cudnn_graph", "s", "a", "plan 1", Seconds{6}},
                                                {"cudnn_graph", "other", "b", "plan 1", Seconds{6}}};
  const auto bars = speedup_bars(points, baselines);
  REQUIRE(bars.size() == 1);  // "b" has a baseline in another suite only
  CHECK(bars[0].best == Approx(3.0));
  CHECK(*bars[0].predicted_choice == Approx(1.5));  // P=1 is predicted fastest and measured at 4
  CHECK(bars[0].baseline == "cudnn_graph plan 1");
}

TEST_CASE("layer_lines: regret of the model's choice", "[reports]") {
  const std::vector<PredictedPoint> points = {point("a", {{"P", 1}}, 1, 4), point("a", {{"P", 2}}, 3, 2)};
  const auto layers = layer_lines(points, {});
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].configs == 2);
  CHECK(layers[0].chosen == Config{{"P", 1}});
  CHECK(*layers[0].best == Config{{"P", 2}});
  CHECK(*layers[0].regret == Approx(1.0));              // 4 s instead of 2 s
  CHECK(*layers[0].median_abs_error == Approx(0.625));  // between 3/4 and 1/2
  CHECK_FALSE(layers[0].baseline);
}

TEST_CASE("worst_points: half as wrong as double, worst first", "[reports]") {
  const std::vector<PredictedPoint> points = {point("a", {{"P", 1}}, 2.0, 1), point("a", {{"P", 2}}, 0.4, 1),
                                              point("a", {{"P", 3}}, 1.1, 1), point("a", {{"P", 4}}, 9)};
  const auto worst = worst_points(points, "f", 2);
  REQUIRE(worst.size() == 2);
  CHECK(worst[0].config == Config{{"P", 2}});  // a factor of 2.5
  CHECK(worst[1].config == Config{{"P", 1}});
  CHECK(worst_points(points, "g", 2).empty());
}
