// compare: predicted against recorded times, scored per family and suite; a gate for continuous integration.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <ostream>
#include <set>

#include "cli/commands.hpp"
#include "cli/data_apart.hpp"
#include "cli/disagreement.hpp"
#include "cli/models.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/score_tables.hpp"
#include "kernels/family.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "model/support/nearest.hpp"
#include "model/support/sha256.hpp"
#include "validation/blind/folder.hpp"
#include "validation/calibration.hpp"
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

void tell_unmatched(const Join& joined, const ModelPredictions& predictions, const RecordedPredictions& all,
                    std::size_t other_rows, std::ostream& err) {
  const auto tell = [&](std::size_t count, std::string_view what) {
    if (count > 0) err << fmt::format("compare: {} {}\n", count, what);
  };
  tell(joined.not_timed, "rows of these families have no time (refused or wrong)");
  for (const auto& [reason, count] : predictions.unpredicted)
    tell(count, fmt::format("measured but not predicted by {}: {}", predictions.model, reason));
  tell(all.unrecorded, "feasible configs of these layers are not measured");
  tell(all.unsampled, "measured configs are outside the sample");
  tell(other_rows, "rows of baselines and of families that were not asked for");
}

CodeSource code_option(const OptionValues& values) {
  const auto& name = values["code"].as<std::string>();
  if (values.count("calibrate") && !values["code"].defaulted())
    throw UsageError("--calibrate and --code: intervals are calibrated for every knowledge of the code");
  if (const auto code = code_source_named(name)) return *code;
  throw UsageError(fmt::format("--code '{}', expected {}", name, fmt::join(code_source_names, ", ")));
}

// Whether the gate failed; says where. Rivals pass: they are here to be worse.
bool over_gate(const std::vector<ScoreRow>& rows, double share, std::ostream& err) {
  bool failed = false;
  for (const auto& [data, model, s, choice_only] : rows) {
    if (choice_only || ties_of(model) == Ties::mean || s.median_abs_error <= share) continue;
    failed = true;
    err << fmt::format("compare: {}: {} on {}: median error {:.1f} % is over {:g} %\n", model, s.family,
                       s.suite, 100 * s.median_abs_error, 100 * share);
  }
  return failed;
}

std::optional<double> gate_option(const OptionValues& values) {
  if (!values.count("fail-over")) return std::nullopt;
  return parse_share(values["fail-over"].as<std::string>());
}

std::optional<std::size_t> worst_option(const OptionValues& values) {
  if (!values.count("worst")) return std::nullopt;
  const auto count = values["worst"].as<std::int64_t>();
  if (count < 1) throw UsageError(fmt::format("--worst {}: expected a positive integer", count));
  return static_cast<std::size_t>(count);
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

// The models of --model, the analytic one without the bounds of --without. A model without one of its terms
// is another model: its interval is not calibrated.
std::vector<BoundModel> models_of(const OptionValues& values, const DeviceProfile& device,
                                  const analytic::Options& options, std::ostream& err) {
  auto models = model_option(values, device, err);
  const auto calibration = interval_option(values, device);
  for (auto& model : models) {
    if (model.name == "analytic" && !options.without.empty())
      model = bind_analytic(options);
    else if (!values.count("calibrate"))
      model = calibrated(std::move(model), calibration);
  }
  return models;
}

// The worst pairs of the first model, and what explains them.
std::string worst_text(std::span<const Comparison> pairs, std::size_t count, Format format,
                       const DeviceProfile& device, std::span<const BoundModel> models,
                       const analytic::Options& options, CodeSource code) {
  std::vector<BoundModel> others;
  std::ranges::copy_if(models.subspan(1), std::back_inserter(others),
                       [](const BoundModel& m) { return ties_of(m.name) == Ties::against; });  // ours
  RowExplainer explainer(pairs, device, models.front(), options, others, code);
  const auto places = worst_places(pairs, count);
  const auto explanations = explainer.explain(places);
  std::set<std::string> families;
  for (const auto place : places)
    families.insert(pairs[place].family);
  if (format != Format::table) return worst_table(pairs, places, explanations).format(format);
  std::string text = worst_table(pairs, places).text() + '\n' + worst_explanations(explanations);
  for (const auto& family : families) {
    const auto known = explainer.mechanisms(family);
    if (!known.empty()) text += '\n' + mechanism_table(known, family).text();
  }
  return text;
}

// Hundreds of layers would hide the scores above them.
std::string layers_text(std::span<const LayerSummary> layers, bool asked) {
  constexpr std::size_t few = 60;
  if (asked || layers.size() <= few) return layer_table(layers).text();
  return fmt::format("--by-layer lists every layer: {} rows\n", layers.size());
}

// One model's pairs with the measured rows.
struct Compared {
  std::string model;
  Join joined;
};

// Of the rows that both of our models have said a time of.
std::string disagreement_of(std::span<const Compared> compared) {
  const auto key = [](const Comparison& c) {
    return fmt::format("{} {}, {}", c.family, c.config, describe_shape(c.problem));
  };
  const auto sim = std::ranges::find(compared, "sim", &Compared::model);
  const auto analytic = std::ranges::find(compared, "analytic", &Compared::model);
  if (sim == compared.end() || analytic == compared.end()) return {};
  std::map<std::string, Seconds> times;
  for (const auto& c : analytic->joined.pairs)
    times.emplace(key(c), c.predicted);
  std::vector<TwoTimes> both;
  for (const auto& c : sim->joined.pairs) {
    auto name = key(c);
    if (const auto other = times.find(name); other != times.end())
      both.push_back({std::move(name), c.predicted, other->second});
  }
  return disagreement_warning(both);
}

// Of these pairs, and of those that the fast models would have had without the rows' own code.
std::vector<CalibrationEntry> calibration_of(const std::vector<Compared>& compared,
                                             std::span<const MeasuredRow> rows,
                                             std::span<const KernelFamily* const> families,
                                             const DeviceProfile& device, std::vector<BoundModel> models,
                                             RecordedOptions sampling) {
  std::vector<CalibrationEntry> entries;
  const auto noise = run_noise(rows);
  const auto add = [&](const std::string& model, std::span<const Comparison> pairs, CodeSource code) {
    for (auto& entry : calibrate(model, pairs, noise, code))
      entries.push_back(std::move(entry));
  };
  for (const auto& c : compared)
    add(c.model, c.joined.pairs, CodeSource::own);
  std::erase_if(models, [](const BoundModel& model) { return !model_by_name(model.name).fast; });
  for (const auto code : {CodeSource::similar, CodeSource::estimated}) {
    sampling.code = code;
    for (const auto& model : predict_recorded(rows, families, device, models, sampling).models)
      add(model.model, join(rows, model.rows).pairs, code);
  }
  return entries;
}

ExitCode write_calibration(const OptionValues& values, const std::vector<CalibrationEntry>& entries,
                           const std::vector<RunNoise>& noise, const DeviceProfile& device,
                           CommandStreams streams) {
  std::string models;
  for (const auto& text : values["model"].as<std::vector<std::string>>())
    models += (models.empty() ? "" : ",") + text;
  const auto path = values["calibrate"].as<std::string>();
  write_file(
      path,
      format_calibration(
          entries, noise,
          {"Calibration of intervals, not of times: a prediction's 90 % interval is that of its parameters "
           "and of run noise, its ends times exp(low_log) and exp(high_log)",
           "models: quantiles (5 %, 95 %) of ln(measured / end) over development rows, split conformal; "
           "EQUATIONS.md I1",
           "run noise: of kernels that take from_s or longer, ln(5 and 95 % of replays / median), nine in "
           "ten "
           "of all development rows are less; EQUATIONS.md I2",
           fmt::format("made by: tilecast compare -d {} --model {} --configs {} --seed {} --calibrate FILE",
                       device.name, models, values["configs"].as<std::string>(), seed_option(values)),
           fmt::format("tilecast {}, device profile sha256 {}", program_version(),
                       sha256_hex(format_device(device)))}));
  if (!quiet_option(values)) streams.err << path << '\n';
  return ExitCode::success;
}

ExitCode compare_blind(const OptionValues& values, CommandStreams streams) {
  for (const char* option : {"layers", "conv", "gemm", "without", "calibrate", "by-family", "by-layer",
                             "by-data", "cost", "family"}) {
    const bool given = std::string_view(option).starts_with("by-") || std::string_view(option) == "cost"
                           ? values[option].as<bool>()
                           : values.count(option) > 0;
    if (given)
      throw UsageError(fmt::format("--blind and --{}: frozen predictions are scored as they are", option));
  }
  const auto folder = values["blind"].as<std::string>();
  const auto gate = gate_option(values);
  const auto worst = worst_option(values);
  const auto format = format_option(values);
  BlindRun run = folder == "recorded" ? recorded_blind(device_option(values).gpu_name) : load_blind(folder);
  std::vector<MeasuredRow> rows = std::move(run.measured);
  if (values.count("measured")) {
    for (const auto& path : values["measured"].as<std::vector<std::string>>())
      std::ranges::move(load_measurements(path), std::back_inserter(rows));
  } else {
    std::ranges::move(recorded_measurements(run.frozen.gpu_name), std::back_inserter(rows));
  }
  const auto result = score_blind(run.frozen, rows, ties_of);
  const auto scores = blind_rows(result);
  if (!quiet_option(values)) {
    streams.err << fmt::format(
        "compare: {}: {} rows frozen by tilecast {} with profile {} ({:.12}...), file {:.12}...\n",
        run.folder, run.frozen.rows.size(), run.frozen.tool_version, run.frozen.device,
        run.frozen.device_sha256, run.frozen.sha256);
    const auto tell = [&](std::size_t count, std::string_view what) {
      if (count > 0) streams.err << fmt::format("compare: {} {}\n", count, what);
    };
    tell(result.not_measured, "frozen rows are not measured yet");
    tell(result.not_timed, "frozen rows have no time (refused or wrong)");
    tell(result.other_code,
         "rows were measured with other machine code than was predicted, and are left out");
  }
  if (scores.empty()) {
    throw UnavailableError("compare: none of the frozen predictions has been measured",
                           "on that GPU: tilecast validate --blind " + folder);
  }
  std::vector<Comparison> pairs;  // of the first model, evaluation data
  for (const auto& p : result.pairs) {
    if (!p.development && p.model == run.frozen.models.front()) pairs.push_back(p.pair);
  }
  std::string text;
  if (format == Format::table || !worst) text = score_table(scores).format(format);
  if (worst)
    text += (text.empty() ? "" : "\n") + worst_table(pairs, worst_places(pairs, *worst)).format(format);
  write_output(values, text, streams.out);
  return gate && over_gate(scores, *gate, streams.err) ? ExitCode::gate_failed : ExitCode::success;
}

// By what rows were used for; of our models.
std::vector<ScoreRow> by_data(const std::vector<Compared>& compared, const RecordedPredictions& predictions,
                              std::span<const MeasuredRow> rows,
                              std::span<const KernelFamily* const> families, const Calibration& calibration,
                              const DeviceProfile& device) {
  const auto apart = rows_apart(rows, rows, families, calibration);
  std::vector<ScoreRow> scores;
  std::vector<std::string> ours;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (ties_of(compared[i].model) == Ties::mean) continue;
    ours.push_back(compared[i].model);
    std::ranges::move(scores_apart(compared[i].model, apart, predictions.models[i].rows),
                      std::back_inserter(scores));
  }
  std::ranges::move(evaluation_scores(device.gpu_name, rows, ours, families), std::back_inserter(scores));
  return scores;
}

ExitCode run_compare(const OptionValues& values, CommandStreams streams) {
  expect_output(values);
  if (values.count("calibrate")) expect_writable(values["calibrate"].as<std::string>());
  if (values.count("blind")) return compare_blind(values, streams);
  const auto gate = gate_option(values);
  const auto worst = worst_option(values);
  const bool by_layer = values["by-layer"].as<bool>();
  const auto format = format_option(values);
  const bool cost = values["cost"].as<bool>();
  const bool apart = values["by-data"].as<bool>();
  if (by_layer + worst.has_value() + cost + apart > 1 && format != Format::table)
    throw UsageError(
        "--by-layer, --worst, --cost and --by-data: one of them, as csv and json hold one table");
  const RecordedOptions sampling{
      .sample = configs_option(values), .seed = seed_option(values), .code = code_option(values)};

  const auto device = device_option(values);
  const auto options = analytic_options(values);
  const auto models = models_of(values, device, options, streams.err);
  const auto families = families_option(values);
  const auto rows = rows_of_layers(values, measured_rows(values, device, streams.err));
  // What csv and json say of rows or layers is of the first model; no other needs to be asked about every
  // row.
  const bool first_alone =
      format != Format::table && (worst || by_layer) && !gate && !values.count("calibrate");
  const auto predictions = predict_recorded(
      rows, families, device, std::span(models).first(first_alone ? 1 : models.size()), sampling);
  std::vector<MeasuredRow> own;
  std::ranges::copy_if(rows, std::back_inserter(own), [&](const MeasuredRow& row) {
    return std::ranges::any_of(families, [&](const auto* family) { return family->name == row.family; });
  });
  std::vector<Compared> compared;
  std::vector<ScoreRow> scores;
  std::vector<CostRow> costs;
  bool nothing = true;
  for (const auto& model : predictions.models) {
    std::ranges::move(cost_rows(model.model, model.rows), std::back_inserter(costs));
    compared.push_back({model.model, join(own, model.rows)});
    auto& joined = compared.back().joined;
    if (values["by-family"].as<bool>()) {
      for (auto& pair : joined.pairs)
        pair.suite = "all";
    }
    nothing = nothing && joined.pairs.empty();
    for (auto& s : score(joined.pairs, ties_of(model.model)))
      scores.push_back({"", model.model, std::move(s)});
  }
  const auto tell = [&] {
    for (std::size_t i = 0; i < compared.size(); ++i)
      tell_unmatched(compared[i].joined, predictions.models[i], i == 0 ? predictions : RecordedPredictions{},
                     i == 0 ? rows.size() - own.size() : 0, streams.err);
  };
  if (nothing) {
    tell();
    throw UnavailableError("compare: nothing is both measured and predicted",
                           "see -f and -l, and whether the rows are of this device");
  }
  if (values.count("calibrate")) {
    if (!quiet_option(values)) tell();
    return write_calibration(values, calibration_of(compared, own, families, device, models, sampling),
                             run_noise(own), device, streams);
  }
  const auto& first = compared.front().joined;
  const auto layers = summarise_layers(first.pairs, rows, device);
  if (models.size() > 1) std::ranges::move(paper_rows(layers), std::back_inserter(scores));

  // Of the recorded rows and the models as they are.
  const bool as_recorded =
      !values.count("measured") && options.without.empty() && sampling.code == CodeSource::own;
  if (apart && !as_recorded)
    throw UsageError("--by-data: not with --measured, --without or --code: it speaks of the recorded rows");
  const auto calibration = interval_option(values, device);
  const auto data = [&] {
    return score_table(by_data(compared, predictions, own, families, calibration, device));
  };

  std::string text;
  if (format == Format::table) {
    text = score_table(scores).text();
    if (as_recorded) {
      text += "\nBy what rows were used for:\n" + data().text();
      for (const auto& sentence : what_data_are_for(calibration))
        text += sentence + '\n';
    }
    text += "\nWhat a prediction costs on one core:\n" + cost_table(costs).text() + '\n' +
            layers_text(layers, by_layer);
    if (worst) text += '\n' + worst_text(first.pairs, *worst, format, device, models, options, sampling.code);
  } else if (worst) {
    text = worst_text(first.pairs, *worst, format, device, models, options, sampling.code);
  } else if (apart) {
    text = data().format(format);
  } else if (cost) {
    text = cost_table(costs).format(format);
  } else {
    text = (by_layer ? layer_table(layers) : score_table(scores)).format(format);
  }
  write_output(values, text, streams.out);
  if (!quiet_option(values)) {
    tell();
    streams.err << disagreement_of(compared);
  }
  return gate && over_gate(scores, *gate, streams.err) ? ExitCode::gate_failed : ExitCode::success;
}

}  // namespace

Command compare_command() {
  return {.name = "compare",
          .summary = "score predictions against recorded measurements",
          .usage = "compare -d DEVICE [options]",
          .examples =
              "tilecast compare -d h200\n"
              "tilecast compare -d h200 -f chang_multi -l chang-multi --model analytic,sim --configs "
              "sample:12 --worst 10\n"
              "tilecast compare -d h200 --format json --fail-over 15%\n"
              "tilecast compare -d h200 --model fast --configs sample:12\n"
              "tilecast compare --blind FOLDER",
          .needs_gpu = false,
          .options = compare_options,
          .positional = {},
          .run = run_compare};
}

}  // namespace tilecast
