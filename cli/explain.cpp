// explain: one prediction of the analytic model, term by term.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/explanation.hpp"
#include "cli/models.hpp"
#include "cli/one_kernel.hpp"
#include "cli/options.hpp"
#include "kernels/family.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {

namespace po = boost::program_options;

namespace {

OptionsDescription explain_options() {
  OptionsDescription options;
  add_device_option(options);
  add_one_kernel_options(options);
  options.add_options()("cold", "L2 holds nothing at the start (kernels are timed warm)")(
      "measured,m", po::value<std::vector<std::string>>()->composing()->value_name("FILE"),
      "rows to compare with (repeatable; default: those recorded for the device)");
  add_interval_option(options);
  add_output_options(options);
  return options;
}

ExitCode run_explain(const OptionValues& values, CommandStreams streams) {
  expect_output(values);
  const auto device = device_option(values);
  analytic::Options options;
  if (values.count("cold")) options.caches = analytic::Caches::cold;
  const auto row = fastest_config(values, device, options, "explain");
  const auto kernel = describe_kernel(family_by_name(row.family), row.problem, row.config, device);
  auto explanation = explain(kernel, device, options);
  Calibration calibration;
  if (options.caches == analytic::Caches::warm) {  // as kernels are timed, and the calibration is
    std::vector<MeasuredRow> rows;
    if (values.count("measured")) {
      for (const auto& path : values["measured"].as<std::vector<std::string>>())
        std::ranges::move(load_measurements(path), std::back_inserter(rows));
    } else {
      rows = recorded_measurements(device.gpu_name);
    }
    explanation.recorded = recorded_of(kernel, options, row.problem, row.config, device, rows);
    calibration = interval_option(values, device);
  }
  auto& p = explanation.prediction;
  explanation.interval = interval_text(p, "analytic", row.family, calibration);
  calibrate_interval(p, "analytic", row.family, calibration);
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
