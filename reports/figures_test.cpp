#include "reports/figures.hpp"

#include <set>

#include "reports/synthetic_results.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

PredictedPoint point(std::string family, double predicted_us, std::optional<double> measured_us) {
  PredictedPoint p{.family = std::move(family), .layer = "layer", .predicted = Seconds{predicted_us * 1e-6}};
  if (measured_us) p.measured = Seconds{*measured_us * 1e-6};
  return p;
}

const Figure& figure(const FigureOrSkipped& result) {
  REQUIRE(std::holds_alternative<Figure>(result));
  return std::get<Figure>(result);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("parity: one block a family, the legend counts all points and their median error", "[reports]") {
  // Errors of "a": 10/20 - 1 = -50 %, 30/20 - 1 = +50 %, 20/20 - 1 = 0; the median of their sizes is 50 %.
  const std::vector<PredictedPoint> points = {point("a", 10, 20), point("a", 30, 20), point("a", 20, 20),
                                              point("b", 50, 40), point("b", 60, std::nullopt)};
  const auto result = parity(points);
  const Figure& f = figure(result);
  CHECK(f.dat ==
        "# a: measured_s predicted_s\n2e-05 1e-05\n2e-05 3e-05\n2e-05 2e-05\n\n\n"
        "# b: measured_s predicted_s\n4e-05 5e-05\n\n\n");
  CHECK(holds(f.gp, "T('a: n = 3, median 50 %', 'a: n = 3, median 50\\,\\%')"));
  CHECK(holds(f.gp, "T('b: n = 1, median 25 %', 'b: n = 1, median 25\\,\\%')"));
  CHECK(holds(f.gp, "($1*0.75):($1*1.25)"));
  CHECK(holds(f.gp, "($1*0.9):($1*1.1)"));
  CHECK(holds(f.caption, "4 configs"));
}

TEST_CASE("parity: a mark that another covers is drawn once but counted", "[reports]") {
  std::vector<PredictedPoint> points(100, point("a", 10, 10));
  points.push_back(point("a", 1000, 1000));
  const auto result = parity(points);
  const Figure& f = figure(result);
  CHECK(f.dat == "# a: measured_s predicted_s\n1e-05 1e-05\n0.001 0.001\n\n\n");
  CHECK(holds(f.gp, "a: n = 101"));
  CHECK(holds(f.caption, "(2 drawn)"));
}

TEST_CASE("error_distribution: the share at or below each error", "[reports]") {
  // Errors 10 %, 20 %, 30 %, 40 %, two of them too fast.
  const std::vector<PredictedPoint> points = {point("a", 11, 10), point("a", 8, 10), point("a", 13, 10),
                                              point("a", 6, 10)};
  const auto result = error_distribution(points);
  CHECK(figure(result).dat ==
        "# a: abs_relative_error share_of_configs (n = 4)\n0 0\n0.1 0.25\n0.2 0.5\n0.3 0.75\n0.4 1\n\n\n");
}

TEST_CASE("time_over_axis: the choices stand at their measured time", "[reports]") {
  AxisSweep sweep{.axis = "P", .layer = "layer_1", .family = "a"};
  const auto us = [](double v) { return Seconds{v * 1e-6}; };
  sweep.points = {{1, us(9), us(8), us(10), us(12), {}, {}},
                  {2, us(5), us(4), us(6), us(8), {}, {}},  // predicted fastest, measured 8
                  {4, us(6), us(5), us(7), us(7), us(6.5), us(7.5)}};
  sweep.paper_choice = 1;
  const auto result = time_over_axis(sweep);
  const Figure& f = figure(result);
  CHECK(f.name == "time_over_p");
  CHECK(holds(f.dat, "# predicted choice\n2 8e-06\n"));
  CHECK(holds(f.dat, "# paper's choice\n1 1.2e-05\n"));
  CHECK(holds(f.dat, "# fastest measured\n4 7e-06\n"));
  CHECK(holds(f.dat, "4 7e-06 6.5e-06 7.5e-06\n"));
  CHECK(holds(f.gp, "paper''s choice: P = 1"));
  CHECK(holds(f.gp, "layer\\_1"));
}

TEST_CASE("time_over_axis: predictions alone still make a figure, without measured marks", "[reports]") {
  AxisSweep sweep{.axis = "Q", .layer = "l", .family = "a"};
  sweep.points = {{1, Seconds{2e-6}, Seconds{1e-6}, Seconds{3e-6}, {}, {}, {}},
                  {2, Seconds{1e-6}, Seconds{1e-6}, Seconds{2e-6}, {}, {}, {}}};
  const auto result = time_over_axis(sweep);
  const Figure& f = figure(result);
  CHECK(f.name == "time_over_q");
  CHECK_FALSE(holds(f.dat, "fastest measured"));
  CHECK_FALSE(holds(f.gp, "yerrorbars"));
  // gnuplot counts blocks with data only: the choice is the second.
  CHECK(holds(f.dat, "2 1e-06 1e-06 2e-06\n\n\n# predicted choice\n2 1e-06\n"));
  CHECK(holds(f.gp, "'time_over_q.dat' index 1 using 1:($2/unit) with points"));
}

TEST_CASE("tile_heatmap: cells by index, infeasible ones left out, the fastest of each side marked",
          "[reports]") {
  TileMap map{.layer = "l", .family = "f", .s_bytes = 32, .m_tiles = {32, 64}, .wx_tiles = {64, 128}};
  const auto us = [](double v) { return std::optional{Seconds{v * 1e-6}}; };
  map.predicted = {us(4), us(3), us(2), std::nullopt};
  map.measured = {us(5), us(1), us(6), std::nullopt};
  const auto result = tile_heatmap(map);
  const Figure& f = figure(result);
  CHECK(holds(f.dat,
              "# predicted: column row time_s Wx_tile M_tile\n0 0 4e-06 64 32\n1 0 3e-06 128 32\n0 1 2e-06 "
              "64 64\n\n\n"));
  CHECK(holds(f.dat, "# fastest predicted: column row\n0 1\n"));
  CHECK(holds(f.dat, "# fastest measured: column row\n1 0\n"));
  CHECK(holds(f.gp, "set cbrange [1:6]"));  // one scale for both panels, in microseconds
  CHECK(f.wide);
}

TEST_CASE("speedup: both means, and the model's choice where it was measured", "[reports]") {
  // Geometric mean of 1 and 4 is 2, arithmetic 2.5.
  const std::vector<SpeedupBar> bars = {{"one", "cudnn A", 1.0, 0.5}, {"two", "cudnn B", 4.0, std::nullopt}};
  const auto result = speedup(bars);
  const Figure& f = figure(result);
  CHECK(holds(f.gp, "geometric = 2; arithmetic = 2.5"));
  CHECK(holds(f.dat, "0 1 0.5 \"one\" \"cudnn A\"\n1 4 NaN \"two\" \"cudnn B\"\n"));
}

TEST_CASE("roofline: the FMA roof is rate x clock x SMs x 2 flops", "[reports]") {
  // 127.2 FMA/cycle x 1.9 GHz x 132 SMs x 2 = 63.8036 Tflop/s.
  const auto device = synthetic::device();
  const std::vector<RooflinePoint> points = {{"f", "l", 10, FlopRate{1e13}, true}};
  const auto result = roofline(points, device);
  const Figure& f = figure(result);
  CHECK(holds(f.gp, "peak = 63.8035"));
  CHECK(holds(f.dat, "# f: flop_per_byte flop_per_s layer\n10 1e+13 \"l\"\n"));
  CHECK(holds(f.gp, "DRAM read 4.30 TB/s"));
}

TEST_CASE("roofline: without a measured FMA rate one FMA a lane and cycle, and the figure says peak",
          "[reports]") {
  auto device = synthetic::device();
  device.fma_rate = {};
  // 128 x 1.9 GHz x 132 x 2 = 64.2048 Tflop/s.
  const std::vector<RooflinePoint> points = {{"f", "l", 10, FlopRate{1e13}, true}};
  const auto result = roofline(points, device);
  CHECK(holds(figure(result).gp, "peak = 64.2048"));
  CHECK(holds(figure(result).gp, "FMA peak 64.2 Tflop/s"));
}

TEST_CASE("device_bandwidth: V_s by Little and as measured", "[reports]") {
  // 640 cycles / 1.9 GHz x 4.8 TB/s = 1616842 B = 1.54 MiB.
  const auto result = device_bandwidth(synthetic::device());
  const Figure& f = figure(result);
  CHECK(holds(f.gp, "V_s by Little, 1.54 MiB"));
  CHECK(holds(f.gp, "V_{s,95} measured, 6.00 MiB"));
}

TEST_CASE("device_saturation: V_s of each mechanism in KiB of an SM, beside Little's", "[reports]") {
  // 132 SMs: 2703360 B are 20 KiB on each, 3379200 B 25, 1351680 B 10.
  auto device = synthetic::device();
  device.v_s_95.set(Bytes{2703360});
  device.v_s_95_cp_async.set(Bytes{3379200});
  device.v_s_little.set(Bytes{1351680});
  const auto result = device_saturation(device);
  const Figure& f = figure(result);
  CHECK(holds(f.gp, "16-byte loads: 20.0 KiB"));
  CHECK(holds(f.gp, "cp.async: 25.0 KiB"));
  CHECK(holds(f.gp, "Little 10.0"));
  CHECK_FALSE(holds(f.gp, "bulk copies"));  // no such curve
}

TEST_CASE("device_n_fma: both knees, in thousands", "[reports]") {
  auto device = synthetic::device();
  device.n_fma_idle.set(84300);
  const auto result = device_n_fma(device);
  CHECK(holds(figure(result).gp, "one SM, device idle: 84.3 thousand"));
  CHECK(holds(figure(result).dat, "# loaded: fmas_per_sm cycles\n"));
}

TEST_CASE("device_loaded_latency: curves of different length are no figure", "[reports]") {
  auto device = synthetic::device();
  device.dram_latency_p90_over_load.x.pop_back();
  CHECK(std::holds_alternative<Skipped>(device_loaded_latency(device)));
}

TEST_CASE("figures: without data each says why it cannot be drawn", "[reports]") {
  const DeviceProfile empty;
  const FigureInputs nothing = figure_inputs(empty, {}, {});
  REQUIRE(figure_list().size() == 17);
  for (const auto& entry : figure_list()) {
    INFO(entry.name);
    const auto result = entry.draw(nothing);
    REQUIRE(std::holds_alternative<Skipped>(result));
    CHECK(std::get<Skipped>(result).reason.size() > 5);
  }
}

TEST_CASE("figures: the name in the list is the name of the files", "[reports]") {
  const auto device = synthetic::device();
  const auto points = synthetic::points();
  const auto baselines = synthetic::baselines();
  const auto models = synthetic::models();
  const auto without = synthetic::ablation();
  FigureInputs inputs = figure_inputs(device, points, baselines);
  inputs.models = &models;
  inputs.ablation = without;
  std::set<std::string_view> names;
  for (const auto& entry : figure_list()) {
    const auto result = entry.draw(inputs);
    CHECK(figure(result).name == entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(holds(figure(result).gp, "'" + std::string(entry.name) + ".dat'"));
    CHECK_FALSE(figure(result).caption.empty());
  }
}

TEST_CASE("model_errors: a row a model, in it median and 90th percentile by family", "[reports]") {
  // Errors of "a" on f: 0, 10, ..., 100 %: median 50 %, 90th percentile 90 %. "b" is exact.
  ModelComparison models{"eleven configs", {}};
  for (int i = 0; i <= 10; ++i) {
    models.points.push_back({"a", "f", Seconds{1}, Seconds{1 + 0.1 * i}});
    models.points.push_back({"b", "f", Seconds{1}, Seconds{1}});
  }
  const auto result = model_errors(models);
  const Figure& f = figure(result);
  CHECK(f.dat == "# f: row median_abs_error p90_abs_error n\n2 0.5 0.9 11\n1 0.001 0 11\n\n\n");
  CHECK(holds(f.gp, "T('a', 'a') 2, T('b', 'b') 1"));
  CHECK(holds(f.caption, "eleven configs"));
  CHECK(std::holds_alternative<Skipped>(model_errors({})));
}

TEST_CASE("ablation: the whole model first, then without each bound", "[reports]") {
  const auto errors = synthetic::ablation();
  const auto result = ablation(errors);
  const Figure& f = figure(result);
  CHECK(holds(f.gp, "T('all bounds', 'all bounds') 3, T('without fma', 'without fma') 2"));
  // Families side by side: chang_multi above the row's middle, chang_single below.
  CHECK(holds(
      f.dat, "# chang_single: row median_abs_error p90_abs_error n\n2.825 0.05 0.1 10\n1.825 0.15 0.3 10\n"));
}

TEST_CASE("model_parity: a panel a model; what is far off lies on the edge", "[reports]") {
  ModelComparison models{"three configs", {}};
  for (const double t : {1e-6, 1e-5, 1e-4}) {
    models.points.push_back({"a", "f", Seconds{t}, Seconds{2 * t}});
    models.points.push_back({"b", "f", Seconds{t}, Seconds{1e6 * t}});
  }
  const auto result = model_parity(models);
  const Figure& f = figure(result);
  CHECK(f.dat ==
        "# a f: measured_s predicted_s\n1e-06 2e-06\n1e-05 2e-05\n0.0001 0.0002\n\n\n"
        "# b f: measured_s predicted_s\n1e-06 0.001\n1e-05 0.001\n0.0001 0.001\n\n\n");
  CHECK(holds(f.gp, "set title T('a', 'a')"));
  CHECK(holds(f.gp, "'model_parity.dat' index 1"));
}
