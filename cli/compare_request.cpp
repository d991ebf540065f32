#include "cli/compare_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "cli/compare_gate.hpp"
#include "kernels/family.hpp"
#include "model/support/csv.hpp"
#include "model/support/nearest.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {
namespace {

namespace po = boost::program_options;

std::vector<MeasuredRow> measured_rows(const OptionValues& values, const DeviceProfile& device,
                                       std::ostream& err) {
  std::vector<MeasuredRow> rows;
  if (values.count("measured")) {
    for (const auto& path : values["measured"].as<std::vector<std::string>>()) {
      bool truncated = false;
      auto more = parse_measurements(read_file(path), path, &truncated);
      if (truncated) err << fmt::format("{}: its last line is incomplete and was left out\n", path);
      std::ranges::move(more, std::back_inserter(rows));
    }
    return rows;
  }
  rows = recorded_measurements(device.gpu_name);
  if (!rows.empty()) return rows;
  std::string known;
  for (const auto& folder : recorded_devices())
    known += (known.empty() ? "" : ", ") + folder;
  throw UnavailableError(
      fmt::format("compare: no measurements are recorded for '{}' ({})", device.name, device.gpu_name),
      known.empty() ? "run 'tilecast validate' on that GPU and name its files: --measured FILE"
                    : fmt::format("recorded: {}; or name files: --measured FILE", known));
}

// With -l: rows of those problems alone, under the suite and name that they have there.
std::vector<MeasuredRow> rows_of_layers(const OptionValues& values, std::vector<MeasuredRow> rows) {
  if (!values.count("layers") && !values.count("conv") && !values.count("gemm")) return rows;
  std::map<std::string, std::pair<std::string, std::string>> wanted;  // problem -> suite, layer
  for (const auto& suite : layers_option(values)) {
    for (const auto& layer : suite.layers)
      wanted.emplace(describe_shape(layer.shape), std::pair{suite.name, layer.id});
  }
  std::erase_if(rows, [&](const MeasuredRow& row) { return !wanted.contains(describe_shape(row.problem)); });
  for (auto& row : rows)
    std::tie(row.suite, row.layer) = wanted.at(describe_shape(row.problem));
  return rows;
}

CodeSource code_option(const OptionValues& values) {
  const auto& name = values["code"].as<std::string>();
  if (values.count("calibrate") && !values["code"].defaulted())
    throw UsageError("--calibrate and --code: intervals are calibrated for every knowledge of the code");
  if (const auto code = code_source_named(name)) return *code;
  throw UsageError(fmt::format("--code '{}', expected {}", name, fmt::join(code_source_names, ", ")));
}

// --without, of the analytic model.
analytic::Options analytic_options(const OptionValues& values) {
  analytic::Options options;
  if (!values.count("without")) return options;
  for (const auto& list : values["without"].as<std::vector<std::string>>()) {
    for (auto& name : split_list(list, "--without"))
      options.without.push_back(std::move(name));
  }
  const auto known = analytic::bound_names();
  for (const auto& name : options.without) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError(fmt::format("--without: unknown bound '{}'", name), nearest_hint(name, known));
  }
  return options;
}

}  // namespace

bool CompareRequest::as_recorded() const {
  return recorded_rows && analytic.without.empty() && sampling.code == CodeSource::own;
}

bool CompareRequest::first_model_alone() const {
  return format != Format::table && (worst || by_layer) && !gate && !calibrate;
}

OptionsDescription compare_options() {
  OptionsDescription options;
  add_device_option(options);
  options.add_options()(
      "measured,m", po::value<std::vector<std::string>>()->composing()->value_name("FILE"),
      "rows that 'tilecast validate' wrote (repeatable); else those shipped for the device")(
      "blind", po::value<std::string>()->value_name("FOLDER|recorded"),
      "score the frozen predictions of a blind run against the rows measured after them, and nothing else");
  add_model_option(options, "analytic");
  add_family_option(options);
  add_layer_options(options);
  add_configs_options(options);
  options.add_options()("by-family", po::bool_switch(), "all suites of a family together")(
      "by-layer", po::bool_switch(),
      "a row for each layer and family (first model): below the scores, also where there are more than 60; "
      "json, "
      "csv: instead of them")(
      "worst", po::value<std::int64_t>()->value_name("N"),
      "the N configs with the largest error and what explains it (first model; the error of our other models "
      "that were asked for beside it; json, csv: instead of the scores)")(
      "cost", po::bool_switch(),
      "json, csv: what a prediction costs on one core, instead of the scores; the description of the kernel "
      "is part of it, compiling and listing its code are not")(
      "fail-over", po::value<std::string>()->value_name("SHARE"),
      "exit with 4 when the median error of one of our models on a family and suite is larger: 15% or 0.15")(
      "by-data", po::bool_switch(),
      "json, csv: rows that calibrated the intervals, other development rows and evaluation rows apart, "
      "instead of the scores")("without",
                               po::value<std::vector<std::string>>()->composing()->value_name("BOUND"),
                               "analytic: switch a bound off (repeatable, or a comma-separated list)");
  options.add_options()("code",
                        po::value<std::string>()->default_value("own")->value_name("own|similar|estimated"),
                        "know no more of the machine code than that: as of layers whose code was never read");
  add_interval_option(options);
  options.add_options()("calibrate", po::value<std::string>()->value_name("FILE"),
                        "write how wide the models' intervals must be for these rows, instead of scores");
  add_output_options(options);
  return options;
}

std::optional<std::size_t> worst_option(const OptionValues& values) {
  if (!values.count("worst")) return std::nullopt;
  const auto count = values["worst"].as<std::int64_t>();
  if (count < 1) throw UsageError(fmt::format("--worst {}: expected a positive integer", count));
  return static_cast<std::size_t>(count);
}

CompareRequest compare_request(const OptionValues& values) {
  CompareRequest request{.gate = gate_option(values),
                         .worst = worst_option(values),
                         .by_family = values["by-family"].as<bool>(),
                         .by_layer = values["by-layer"].as<bool>(),
                         .by_data = values["by-data"].as<bool>(),
                         .cost = values["cost"].as<bool>(),
                         .calibrate = values.count("calibrate") > 0,
                         .quiet = quiet_option(values),
                         .format = format_option(values),
                         .sampling = {.sample = configs_option(values),
                                      .seed = seed_option(values),
                                      .code = code_option(values)},
                         .analytic = analytic_options(values),
                         .recorded_rows = values.count("measured") == 0};
  const int tables = request.by_layer + request.worst.has_value() + request.cost + request.by_data;
  if (tables > 1 && request.format != Format::table)
    throw UsageError(
        "--by-layer, --worst, --cost and --by-data: one of them, as csv and json hold one table");
  if (request.by_data && !request.as_recorded())
    throw UsageError("--by-data: not with --measured, --without or --code: it speaks of the recorded rows");
  return request;
}

std::vector<BoundModel> models_to_compare(const OptionValues& values, const CompareRequest& request,
                                          const DeviceProfile& device, std::ostream& err) {
  auto models = model_option(values, device, err);
  const auto calibration = interval_option(values, device);
  // A model without one of its terms is another model: its interval is not calibrated.
  for (auto& model : models) {
    if (model.name == "analytic" && !request.analytic.without.empty())
      model = bind_analytic(request.analytic);
    else if (!request.calibrate)
      model = calibrated(std::move(model), calibration);
  }
  return models;
}

std::vector<MeasuredRow> rows_to_compare(const OptionValues& values, const DeviceProfile& device,
                                         std::ostream& err) {
  return rows_of_layers(values, measured_rows(values, device, err));
}

}  // namespace tilecast
