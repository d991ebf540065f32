#pragma once
// The figures: pure functions from results to a script and its data, one .cpp each. Every one says why it
// cannot be drawn rather than drawing an empty frame.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/device/device_profile.hpp"
#include "reports/figure.hpp"
#include "reports/figure_data.hpp"

namespace tilecast {

// Predicted against measured time, with bands of 10 % and 25 %.
FigureOrSkipped parity(std::span<const PredictedPoint> points);
// Share of the configs below each absolute relative error, by family.
FigureOrSkipped error_distribution(std::span<const PredictedPoint> points);
// Median and 90th percentile of the error of each model, by family.
FigureOrSkipped model_errors(const ModelComparison& models);
// Predicted against measured time, a panel a model.
FigureOrSkipped model_parity(const ModelComparison& models);
// The analytic model's error without each of its bounds, by family.
FigureOrSkipped ablation(std::span<const ErrorSummary> errors);
// Time over P or Q, measured and predicted; name "time_over_p".
FigureOrSkipped time_over_axis(const AxisSweep& sweep);
// Time over M' and W'x, predicted beside measured on one colour scale.
FigureOrSkipped tile_heatmap(const TileMap& map);
// The device's roofs with the layers' fastest kernels.
FigureOrSkipped roofline(std::span<const RooflinePoint> points, const DeviceProfile& device);
// Speed-up over the fastest library algorithm, by layer.
FigureOrSkipped speedup(std::span<const SpeedupBar> bars);
// Latency over footprint, with the capacities that bend it.
FigureOrSkipped device_latency(const DeviceProfile& device);
// DRAM bandwidth over bytes in flight, with V_s by Little's law and as measured.
FigureOrSkipped device_bandwidth(const DeviceProfile& device);
// DRAM latency over the bandwidth that other SMs take.
FigureOrSkipped device_loaded_latency(const DeviceProfile& device);
// DRAM bandwidth over bytes in flight by what brings them, with V_s of each.
FigureOrSkipped device_saturation(const DeviceProfile& device);
// N_FMA: one round of load, FMAs and use over the FMAs.
FigureOrSkipped device_n_fma(const DeviceProfile& device);
// L2 latency over SM and line.
FigureOrSkipped device_l2_map(const DeviceProfile& device);
// FMA rate over warps and instruction-level parallelism.
FigureOrSkipped device_fma(const DeviceProfile& device);

// Everything that the figures of one evaluation read.
struct FigureInputs {
  const DeviceProfile& device;
  std::span<const PredictedPoint> points;
  std::optional<AxisSweep> over_p, over_q;
  std::optional<TileMap> tiles;
  std::vector<RooflinePoint> roofline;
  std::vector<SpeedupBar> speedups;
  const ModelComparison* models = nullptr;  // nullptr: there is one model
  std::span<const ErrorSummary> ablation;
};

// What the figures of one layer show; empty: what select.hpp chooses.
struct FigureSelection {
  std::string layer;
  std::optional<std::int64_t> s_bytes;
};

// `device` and `points` must outlive the result.
FigureInputs figure_inputs(const DeviceProfile& device, std::span<const PredictedPoint> points,
                           std::span<const BaselinePoint> baselines, const FigureSelection& selection = {});

struct FigureEntry {
  std::string_view name;
  std::string_view summary;
  FigureOrSkipped (*draw)(const FigureInputs&);
};

// THE list, in the order of the report. Adding a figure is one .cpp and one line in figures.cpp.
std::span<const FigureEntry> figure_list();

}  // namespace tilecast
