// explain: one prediction of the analytic model, term by term.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/config_option.hpp"
#include "cli/explanation.hpp"
#include "cli/models.hpp"
#include "cli/options.hpp"
#include "cli/prediction_rows.hpp"
#include "kernels/family.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {

namespace po = boost::program_options;

namespace {

OptionsDescription explain_options() {
  OptionsDescription options;
  add_device_option(options);
  add_layer_options(options);
  add_family_option(options);
  options.add_options()("config", po::value<std::string>()->value_name("NAME=VALUE,..."),
                        "axes of the config to explain; of those that have them, the fastest")(
      "cold", "L2 holds nothing at the start (kernels are timed warm)")(
      "measured,m", po::value<std::vector<std::string>>()->composing()->value_name("FILE"),
      "rows to compare with (repeatable; default: those recorded for the device)");
  add_interval_option(options);
  add_output_options(options);
  return options;
}

// The fastest row of the layer, among those with the axes of --config.
PredictionRow row_to_explain(const OptionValues& values, const std::vector<Suite>& suites,
                             const DeviceProfile& device, const analytic::Options& options) {
  const RowSelection selection{.all = true, .families = family_option(values)};
  for (const auto& name : selection.families)
    family_by_name(name);  // throws with the nearest name
  const auto rows = analytic_rows(suites, device, kernel_families(), selection, options);
  std::optional<Config> wanted;
  if (values.count("config")) {
    const auto& text = values["config"].as<std::string>();
    const auto& axes = rows.front().config;
    wanted = parse_config(text, axes);
  }
  const PredictionRow* fastest = nullptr;
  for (const auto& row : rows) {
    if (!row.prediction || (wanted && !matches(row.config, *wanted))) continue;
    if (!fastest || row.prediction->time < fastest->prediction->time) fastest = &row;
  }
  if (fastest) return *fastest;
  for (const auto& row : rows) {
    if (!row.reason.empty() && (!wanted || matches(row.config, *wanted)))
      throw InputError(fmt::format("{}: cannot run: {}", row.layer, row.reason));
  }
  throw UsageError(fmt::format("{}: no such config", rows.front().layer),
                   "'tilecast predict --all' lists every config");
}

ExitCode run_explain(const OptionValues& values, CommandStreams streams) {
  const auto device = device_option(values);
  const auto suites = layers_option(values);
  if (suites.size() != 1 || suites.front().layers.size() != 1)
    throw UsageError("explain: expected one layer", "give it by --conv or --gemm");
  analytic::Options options;
  if (values.count("cold")) options.caches = analytic::Caches::cold;
  const auto row = row_to_explain(values, suites, device, options);
  const auto kernel = describe_kernel(family_by_name(row.family), row.problem, row.config, device);
  auto explanation = explain(kernel, device, options);
  if (options.caches == analytic::Caches::warm) {  // as kernels are timed, and the calibration is
    std::vector<MeasuredRow> rows;
    if (values.count("measured")) {
      for (const auto& path : values["measured"].as<std::vector<std::string>>())
        std::ranges::move(load_measurements(path), std::back_inserter(rows));
    } else {
      rows = recorded_measurements(device.gpu_name);
    }
    auto& p = explanation.prediction;
    explanation.recorded = recorded_of(kernel, options, row.problem, row.config, device, rows);
    calibrate_interval(p, "analytic", row.family, interval_option(values, device));
  }
  const auto format = format_option(values);
  if (format == Format::table) {
    write_output(values,
                 fmt::format("{} {}, {} on {}\n", row.family, describe_config(row.config),
                             describe_shape(row.problem), device.name) +
                     explanation_text(kernel, explanation),
                 streams.out);
  } else if (format == Format::json) {
    write_output(values, explanation_json(kernel, explanation), streams.out);
  } else {
    throw UsageError("explain writes a table or json", "use --format table or --format json");
  }
  return ExitCode::success;
}

}  // namespace

Command explain_command() {
  return {
      .name = "explain",
      .summary = "one prediction term by term, how it moves with each device parameter, and where it is off",
      .usage = "explain -d DEVICE --conv N,C,H,W,M,K [-f FAMILY] [--config NAME=VALUE,...] [options]",
      .examples =
          "tilecast explain -d h100 --conv 1,64,56,56,64,3\n"
          "tilecast explain -d h100 --conv 1,64,56,56,64,3 -f chang_multi "
          "--config S_bytes=32,M_tile=64,Wx_tile=128\n",
      .options = explain_options,
      .positional = {},
      .run = run_explain};
}

}  // namespace tilecast
