// compare: predicted against recorded times, scored per family and suite; a gate for continuous integration.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "kernels/family.hpp"
#include "model/analytic/analytic.hpp"
#include "model/support/csv.hpp"
#include "model/support/nearest.hpp"
#include "validation/layer_summary.hpp"
#include "validation/measurement_store.hpp"
#include "validation/recorded_predictions.hpp"
#include "validation/scores.hpp"

namespace tilecast {
namespace {

namespace po = boost::program_options;

OptionsDescription compare_options() {
  OptionsDescription options;
  add_device_option(options);
  options.add_options()(
      "measured,m", po::value<std::vector<std::string>>()->composing()->value_name("FILE"),
      "rows that 'tilecast validate' wrote (repeatable); else those shipped for the device")(
      "model", po::value<std::string>()->default_value("analytic")->value_name("NAME"), "analytic");
  add_family_option(options);
  add_layer_options(options);
  options.add_options()("by-layer", po::bool_switch(),
                        "json, csv: a row for each layer instead of the scores")(
      "worst", po::value<std::int64_t>()->value_name("N"),
      "the N configs with the largest error (json, csv: instead of the scores)")(
      "fail-over", po::value<std::string>()->value_name("SHARE"),
      "exit with 4 when a family's median error on a suite is larger: 15% or 0.15")(
      "without", po::value<std::vector<std::string>>()->composing()->value_name("BOUND"),
      "switch a bound of the model off (repeatable, or a comma-separated list)");
  add_output_options(options);
  return options;
}

double parse_share(const std::string& text) {
  const bool percent = text.ends_with('%');
  double value = 0;
  const char* const end = text.data() + text.size() - (percent ? 1 : 0);
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !(value >= 0))
    throw UsageError(fmt::format("--fail-over '{}', expected a share of 0 or more: 15% or 0.15", text));
  return percent ? value / 100 : value;
}

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

std::vector<const KernelFamily*> families_of(const OptionValues& values) {
  std::vector<const KernelFamily*> families;
  for (const auto& name : family_option(values))
    families.push_back(&family_by_name(name));
  if (families.empty()) {
    for (const auto& family : kernel_families())
      families.push_back(&family);
  }
  return families;
}

Cell cell(const std::optional<double>& value) {
  return value ? Cell{*value} : Cell{};
}

ResultTable score_table(const std::vector<Scores>& scores, const std::string& model) {
  ResultTable table({{"model"},
                     {"family"},
                     {"suite"},
                     {"n", "configs"},
                     {"layers"},
                     {"median_abs_error", "median [%]", 3, 0.01},
                     {"mean_abs_error", "mean [%]", 3, 0.01},
                     {"p90_abs_error", "p90 [%]", 3, 0.01},
                     {"max_abs_error", "max [%]", 3, 0.01},
                     {"mean_signed_error", "signed [%]", 3, 0.01},
                     {"spearman", "spearman", 3},
                     {"top1_regret_mean", "top-1 regret [%]", 3, 0.01},
                     {"top1_regret_max", "its max [%]", 3, 0.01},
                     {"top3_regret_mean", "top-3 regret [%]", 3, 0.01},
                     {"interval_coverage", "in interval [%]", 3, 0.01}});
  for (const auto& s : scores) {
    table.add({model, s.family, s.suite, static_cast<std::int64_t>(s.n), static_cast<std::int64_t>(s.layers),
               s.median_abs_error, s.mean_abs_error, s.p90_abs_error, s.max_abs_error, s.mean_signed_error,
               cell(s.spearman), s.top1_regret_mean, s.top1_regret_max, s.top3_regret_mean,
               cell(s.interval_coverage)});
  }
  return table;
}

ResultTable layer_table(const std::vector<LayerSummary>& layers) {
  ResultTable table({{"family"},
                     {"suite"},
                     {"layer"},
                     {"n", "configs"},
                     {"best_time_s", "best [us]", 4, 1e-6},
                     {"best_config", "best config"},
                     {"model_regret", "model's regret [%]", 3, 0.01},
                     {"model_config", "model's choice"},
                     {"paper_regret", "paper's regret [%]", 3, 0.01},
                     {"paper_config", "paper's choice"},
                     {"cudnn_time_s", "best cuDNN [us]", 4, 1e-6},
                     {"cudnn", "cuDNN's algorithm or plan"},
                     {"speedup_over_cudnn", "speed-up", 3},
                     {"sgemm_time_s", "SGEMM [us]", 4, 1e-6}});
  for (const auto& l : layers) {
    const auto time = [](const auto& c) { return c ? Cell{c->time.value()} : Cell{}; };
    const auto name = [](const auto& c) { return c ? Cell{c->config} : Cell{}; };
    table.add({l.family, l.suite, l.layer, static_cast<std::int64_t>(l.n), l.best.time.value(), l.best.config,
               l.model.regret, l.model.config, l.paper ? Cell{l.paper->regret} : Cell{},
               l.paper ? Cell{l.paper->config} : Cell{l.paper_reason}, time(l.cudnn), name(l.cudnn),
               cell(l.speedup_over_cudnn()), time(l.sgemm)});
  }
  return table;
}

ResultTable worst_table(std::vector<Comparison> pairs, std::size_t count) {
  ResultTable table({{"family"},
                     {"suite"},
                     {"layer"},
                     {"config"},
                     {"measured_s", "measured [us]", 4, 1e-6},
                     {"predicted_s", "predicted [us]", 4, 1e-6},
                     {"signed_error", "error [%]", 3, 0.01}});
  std::ranges::stable_sort(pairs, [](const Comparison& a, const Comparison& b) {
    return std::abs(a.signed_error()) > std::abs(b.signed_error());
  });
  for (std::size_t i = 0; i < std::min(count, pairs.size()); ++i) {
    const auto& p = pairs[i];
    table.add(
        {p.family, p.suite, p.layer, p.config, p.measured.value(), p.predicted.value(), p.signed_error()});
  }
  return table;
}

void tell_unmatched(const Join& joined, const RecordedPredictions& predictions, std::size_t other_rows,
                    std::ostream& err) {
  const auto tell = [&](std::size_t count, std::string_view what) {
    if (count > 0) err << fmt::format("compare: {} {}\n", count, what);
  };
  tell(joined.not_timed, "rows of these families have no time (refused or wrong)");
  for (const auto& [reason, count] : predictions.unpredicted)
    tell(count, "measured but not predicted: " + reason);
  tell(predictions.unrecorded, "feasible configs of these layers are not measured");
  tell(other_rows, "rows of baselines and of families that were not asked for");
}

// Whether the gate failed; says where.
bool over_gate(const std::vector<Scores>& scores, double share, std::ostream& err) {
  bool failed = false;
  for (const auto& s : scores) {
    if (s.median_abs_error <= share) continue;
    failed = true;
    err << fmt::format("compare: {} on {}: median error {:.1f} % is over {:g} %\n", s.family, s.suite,
                       100 * s.median_abs_error, 100 * share);
  }
  return failed;
}

ExitCode run_compare(const OptionValues& values, CommandStreams streams) {
  const auto model = values["model"].as<std::string>();
  const std::vector<std::string> models{"analytic"};
  if (std::ranges::find(models, model) == models.end()) {
    throw UsageError(
        fmt::format("--model '{}': compares no times (the paper's choices are shown beside those "
                    "of the model in the table of layers)",
                    model),
        nearest_hint(model, models));
  }
  std::optional<double> gate;
  if (values.count("fail-over")) gate = parse_share(values["fail-over"].as<std::string>());
  std::optional<std::size_t> worst;
  if (values.count("worst")) {
    const auto count = values["worst"].as<std::int64_t>();
    if (count < 1) throw UsageError(fmt::format("--worst {}: expected a positive integer", count));
    worst = static_cast<std::size_t>(count);
  }
  const bool by_layer = values["by-layer"].as<bool>();
  const auto format = format_option(values);
  if (by_layer && worst && format != Format::table)
    throw UsageError("--by-layer and --worst: one of them, as csv and json hold one table");
  analytic::Options options;
  if (values.count("without")) {
    for (const auto& list : values["without"].as<std::vector<std::string>>()) {
      for (auto& name : split_list(list, "--without"))
        options.without.push_back(std::move(name));
    }
  }

  const auto device = device_option(values);
  const auto families = families_of(values);
  const auto rows = rows_of_layers(values, measured_rows(values, device, streams.err));
  const auto predictions = predict_recorded(
      rows, families, device, [&](const KernelDescription& kernel, const DeviceProfile& profile) {
        return analytic::predict(kernel, profile, options);
      });
  std::vector<MeasuredRow> own;
  std::ranges::copy_if(rows, std::back_inserter(own), [&](const MeasuredRow& row) {
    return std::ranges::any_of(families, [&](const auto* family) { return family->name == row.family; });
  });
  const auto joined = join(own, predictions.rows);
  if (joined.pairs.empty()) {
    tell_unmatched(joined, predictions, rows.size() - own.size(), streams.err);
    throw UnavailableError("compare: nothing is both measured and predicted",
                           "see -f and -l, and whether the rows are of this device");
  }
  const auto scores = score(joined.pairs);
  const auto layers = summarise_layers(joined.pairs, rows, device);

  std::string text;
  if (format == Format::table) {
    text = score_table(scores, model).text() + '\n' + layer_table(layers).text();
    if (worst) text += '\n' + worst_table(joined.pairs, *worst).text();
  } else if (worst) {
    text = worst_table(joined.pairs, *worst).format(format);
  } else {
    text = (by_layer ? layer_table(layers) : score_table(scores, model)).format(format);
  }
  write_output(values, text, streams.out);
  if (!quiet_option(values)) tell_unmatched(joined, predictions, rows.size() - own.size(), streams.err);
  return gate && over_gate(scores, *gate, streams.err) ? ExitCode::gate_failed : ExitCode::success;
}

}  // namespace

Command compare_command() {
  return {.name = "compare",
          .summary = "score predictions against recorded measurements",
          .usage = "compare -d DEVICE [options]",
          .examples =
              "tilecast compare -d h200\n"
              "tilecast compare -d h200 -f chang_multi -l chang-multi --worst 10\n"
              "tilecast compare -d h200 --format json --fail-over 15%",
          .needs_gpu = false,
          .options = compare_options,
          .positional = {},
          .run = run_compare};
}

}  // namespace tilecast
