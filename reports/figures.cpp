#include "reports/figures.hpp"

#include <array>

#include "reports/select.hpp"

namespace tilecast {
namespace {

FigureOrSkipped sweep_or_skip(const std::optional<AxisSweep>& sweep, std::string_view axis) {
  if (!sweep) return Skipped{"no layer has configs over " + std::string(axis)};
  return time_over_axis(*sweep);
}

FigureOrSkipped with_models(const FigureInputs& in, FigureOrSkipped (*draw)(const ModelComparison&)) {
  if (!in.models) return Skipped{"no measured configs"};
  return draw(*in.models);
}

constexpr std::array<FigureEntry, 17> entries = {{
    {"parity", "predicted against measured time", [](const FigureInputs& in) { return parity(in.points); }},
    {"error_distribution", "share of the configs below each error",
     [](const FigureInputs& in) { return error_distribution(in.points); }},
    {"model_errors", "error of every model, by family",
     [](const FigureInputs& in) { return with_models(in, model_errors); }},
    {"model_parity", "predicted against measured time, a panel a model",
     [](const FigureInputs& in) { return with_models(in, model_parity); }},
    {"ablation", "error without each bound of the analytic model",
     [](const FigureInputs& in) { return ablation(in.ablation); }},
    {"time_over_p", "time of one layer over P",
     [](const FigureInputs& in) { return sweep_or_skip(in.over_p, "P"); }},
    {"time_over_q", "time of one layer over Q",
     [](const FigureInputs& in) { return sweep_or_skip(in.over_q, "Q"); }},
    {"tile_heatmap", "time over M' and W'x, predicted beside measured",
     [](const FigureInputs& in) -> FigureOrSkipped {
       if (!in.tiles) return Skipped{"no layer has configs over M_tile and Wx_tile"};
       return tile_heatmap(*in.tiles);
     }},
    {"speedup", "speed-up over the fastest library algorithm",
     [](const FigureInputs& in) { return speedup(in.speedups); }},
    {"roofline", "the device's roofs with the layers",
     [](const FigureInputs& in) { return roofline(in.roofline, in.device); }},
    {"device_latency", "memory latency over footprint",
     [](const FigureInputs& in) { return device_latency(in.device); }},
    {"device_bandwidth", "DRAM bandwidth over bytes in flight",
     [](const FigureInputs& in) { return device_bandwidth(in.device); }},
    {"device_loaded_latency", "DRAM latency under load",
     [](const FigureInputs& in) { return device_loaded_latency(in.device); }},
    {"device_saturation", "V_s by what brings the bytes",
     [](const FigureInputs& in) { return device_saturation(in.device); }},
    {"device_n_fma", "FMAs between load and use that hide the load",
     [](const FigureInputs& in) { return device_n_fma(in.device); }},
    {"device_l2_map", "L2 latency over SM and line",
     [](const FigureInputs& in) { return device_l2_map(in.device); }},
    {"device_fma", "FMA rate over warps and ILP",
     [](const FigureInputs& in) { return device_fma(in.device); }},
}};

}  // namespace

FigureInputs figure_inputs(const DeviceProfile& device, std::span<const PredictedPoint> points,
                           std::span<const BaselinePoint> baselines, const FigureSelection& selection) {
  return {.device = device,
          .points = points,
          .over_p = axis_sweep(points, "P", selection.layer),
          .over_q = axis_sweep(points, "Q", selection.layer),
          .tiles = tile_map(points, selection.layer, selection.s_bytes),
          .roofline = roofline_points(points),
          .speedups = speedup_bars(points, baselines),
          .models = nullptr,
          .ablation = {}};
}

std::span<const FigureEntry> figure_list() {
  return entries;
}

}  // namespace tilecast
