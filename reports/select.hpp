#pragma once
// From joined results to what one figure or table shows. Pure; every choice is a rule stated here.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reports/figure_data.hpp"

namespace tilecast {

// The configs of one layer along `axis` ("P"), all other axes held at the values that leave most configs;
// ties go to the group with the paper's choice, then to the one with the least predicted time. `layer`
// empty: the layer with most measured configs along the axis (then most configs, then the first).
// nullopt: no layer has two.
std::optional<AxisSweep> axis_sweep(std::span<const PredictedPoint> points, std::string_view axis,
                                    std::string_view layer = "");

// M_tile x Wx_tile of one layer at S_bytes = `s_bytes` (absent: the S of the fastest predicted config); other
// axes: the least time. `layer` empty: the layer of several channels with most measured configs (then most
// configs, then the first).
std::optional<TileMap> tile_map(std::span<const PredictedPoint> points, std::string_view layer = "",
                                std::optional<std::int64_t> s_bytes = {});

// One point a family and layer: its fastest measured config, else its fastest predicted one.
std::vector<RooflinePoint> roofline_points(std::span<const PredictedPoint> points);

// One bar for each layer that has a measured config and a baseline, in the order of `points`. The model's
// choice is the config, of all families, with the least predicted time; absent when it was not measured.
std::vector<SpeedupBar> speedup_bars(std::span<const PredictedPoint> points,
                                     std::span<const BaselinePoint> baselines);

// A layer in one line. Times are measured unless said otherwise.
struct LayerLine {
  std::string family, suite, layer;
  ConvShape shape;
  std::size_t configs = 0, measured_configs = 0;
  Config chosen;  // the fastest predicted
  Seconds chosen_predicted{}, chosen_low{}, chosen_high{};
  std::string limiter;
  std::optional<Seconds> chosen_measured;
  std::optional<Config> best;  // the fastest measured
  std::optional<Seconds> best_measured;
  std::optional<double> regret;  // chosen_measured / best_measured - 1
  std::optional<double> median_abs_error;
  std::optional<Seconds> baseline;  // the fastest library algorithm
  std::string baseline_algorithm;
};

// In the order of `points`, one a family and layer.
std::vector<LayerLine> layer_lines(std::span<const PredictedPoint> points,
                                   std::span<const BaselinePoint> baselines);

// The `count` measured points of a family with the largest |ln(predicted / measured)|, worst first: a
// prediction of a half is as wrong as one of a double.
std::vector<PredictedPoint> worst_points(std::span<const PredictedPoint> points, std::string_view family,
                                         std::size_t count);

}  // namespace tilecast
