// compare: predicted against recorded times, scored per family and suite; a gate for continuous integration.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <set>

#include "cli/calibrate.hpp"
#include "cli/commands.hpp"
#include "cli/compare_blind.hpp"
#include "cli/compare_gate.hpp"
#include "cli/compare_request.hpp"
#include "cli/data_apart.hpp"
#include "cli/disagreement.hpp"
#include "cli/models.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/score_tables.hpp"
#include "cli/worst_rows.hpp"
#include "kernels/family.hpp"
#include "model/support/csv.hpp"
#include "validation/calibration.hpp"
#include "validation/layer_summary.hpp"
#include "validation/recorded_predictions.hpp"
#include "validation/scores.hpp"

namespace tilecast {
namespace {

// What is compared with what.
struct Comparisons {
  const DeviceProfile& device;
  std::vector<BoundModel> models;
  std::vector<const KernelFamily*> families;
  std::vector<MeasuredRow> rows, own;  // of the layers; of these the families' own
  RecordedPredictions predictions;
  std::vector<Compared> compared;  // by model, as predictions.models
  std::span<const Comparison> first() const { return compared.front().joined.pairs; }
};

Comparisons comparisons_of(const OptionValues& values, const CompareRequest& request,
                           const DeviceProfile& device, std::ostream& err) {
  Comparisons c{.device = device,
                .models = models_to_compare(values, request, device, err),
                .families = families_option(values),
                .rows = rows_to_compare(values, device, err),
                .own = {},
                .predictions = {},
                .compared = {}};
  const auto asked = std::span(c.models).first(request.first_model_alone() ? 1 : c.models.size());
  c.predictions = predict_recorded(c.rows, c.families, device, asked, request.sampling);
  std::ranges::copy_if(c.rows, std::back_inserter(c.own), [&](const MeasuredRow& row) {
    return std::ranges::find(c.families, row.family, [](const auto* f) { return f->name; }) !=
           c.families.end();
  });
  for (const auto& model : c.predictions.models) {
    c.compared.push_back({model.model, join(c.own, model.rows)});
    if (!request.by_family) continue;
    for (auto& pair : c.compared.back().joined.pairs)
      pair.suite = "all";
  }
  return c;
}

// Rows that are in no score, and why.
void tell_left_out(const Comparisons& c, std::ostream& err) {
  const auto tell = [&](std::size_t count, std::string_view what) {
    if (count > 0) err << fmt::format("compare: {} {}\n", count, what);
  };
  for (std::size_t i = 0; i < c.compared.size(); ++i) {
    const auto& predictions = c.predictions.models[i];
    tell(c.compared[i].joined.not_timed, "rows of these families have no time (refused or wrong)");
    for (const auto& [reason, count] : predictions.unpredicted)
      tell(count, fmt::format("measured but not predicted by {}: {}", predictions.model, reason));
    if (i > 0) continue;  // the same of every model
    tell(unrecorded_configs(c.rows, c.families, c.device),
         "feasible configs of these layers are not measured");
    tell(c.predictions.unsampled, "measured configs are outside the sample");
    tell(c.rows.size() - c.own.size(), "rows of baselines and of families that were not asked for");
  }
}

// Of every model, and of the paper's choices where several models are compared.
std::vector<ScoreRow> scores_of(const Comparisons& c, std::span<const LayerSummary> layers) {
  std::vector<ScoreRow> scores;
  for (const auto& [model, joined] : c.compared) {
    for (auto& s : score(joined.pairs, ties_of(model)))
      scores.push_back({"", model, std::move(s)});
  }
  if (c.models.size() > 1) std::ranges::move(paper_rows(layers), std::back_inserter(scores));
  return scores;
}

std::vector<CostRow> costs_of(const Comparisons& c) {
  std::vector<CostRow> costs;
  for (const auto& model : c.predictions.models)
    std::ranges::move(cost_rows(model.model, model.rows), std::back_inserter(costs));
  return costs;
}

// By what rows were used for; of our models.
std::vector<ScoreRow> by_data(const Comparisons& c, const Calibration& calibration) {
  const auto apart = rows_apart(c.own, c.own, c.families, calibration);
  std::vector<ScoreRow> scores;
  std::vector<std::string> ours;
  for (std::size_t i = 0; i < c.compared.size(); ++i) {
    const auto& model = c.compared[i].model;
    if (ties_of(model) == Ties::mean) continue;
    ours.push_back(model);
    std::ranges::move(scores_apart(model, apart, c.predictions.models[i].rows), std::back_inserter(scores));
  }
  std::ranges::move(evaluation_scores(c.device.gpu_name, c.own, ours, c.families),
                    std::back_inserter(scores));
  return scores;
}

// The worst pairs of the first model, and what explains them.
std::string worst_text(const Comparisons& c, const CompareRequest& request) {
  const auto pairs = c.first();
  std::vector<BoundModel> others;
  std::ranges::copy_if(std::span(c.models).subspan(1), std::back_inserter(others),
                       [](const BoundModel& m) { return ties_of(m.name) == Ties::against; });  // ours
  RowExplainer explainer(pairs, c.device, c.models.front(), request.analytic, others, request.sampling.code);
  const auto places = worst_places(pairs, *request.worst);
  const auto explanations = explainer.explain(places);
  std::set<std::string> families;
  for (const auto place : places)
    families.insert(pairs[place].family);
  if (request.format != Format::table) return worst_table(pairs, places, explanations).format(request.format);
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

// Everything, for people.
std::string whole_text(const Comparisons& c, const CompareRequest& request, const Calibration& calibration,
                       std::span<const LayerSummary> layers, const std::vector<ScoreRow>& scores) {
  std::string text = score_table(scores).text();
  if (request.as_recorded()) {
    text += "\nBy what rows were used for:\n" + score_table(by_data(c, calibration)).text();
    for (const auto& sentence : what_data_are_for(calibration))
      text += sentence + '\n';
  }
  text += "\nWhat a prediction costs on one core:\n" + cost_table(costs_of(c)).text() + '\n' +
          layers_text(layers, request.by_layer);
  if (request.worst) text += '\n' + worst_text(c, request);
  return text;
}

// One table, for programs.
std::string table_text(const Comparisons& c, const CompareRequest& request, const Calibration& calibration,
                       std::span<const LayerSummary> layers, const std::vector<ScoreRow>& scores) {
  if (request.worst) return worst_text(c, request);
  if (request.by_data) return score_table(by_data(c, calibration)).format(request.format);
  if (request.cost) return cost_table(costs_of(c)).format(request.format);
  return (request.by_layer ? layer_table(layers) : score_table(scores)).format(request.format);
}

ExitCode run_compare(const OptionValues& values, CommandStreams streams) {
  expect_output(values);
  if (values.count("calibrate")) expect_writable(values["calibrate"].as<std::string>());
  if (values.count("blind")) return compare_blind(values, streams);
  const auto request = compare_request(values);
  const auto device = device_option(values);
  const auto c = comparisons_of(values, request, device, streams.err);
  if (std::ranges::all_of(c.compared, [](const Compared& m) { return m.joined.pairs.empty(); })) {
    tell_left_out(c, streams.err);
    throw UnavailableError("compare: nothing is both measured and predicted",
                           "see -f and -l, and whether the rows are of this device");
  }
  if (request.calibrate) {
    if (!request.quiet) tell_left_out(c, streams.err);
    const auto path = values["calibrate"].as<std::string>();
    const auto entries = calibration_of(c.compared, c.own, c.families, device, c.models, request.sampling);
    write_file(path, calibration_text(values, entries, run_noise(c.own), device));
    if (!request.quiet) streams.err << path << '\n';
    return ExitCode::success;
  }
  const auto layers = summarise_layers(c.first(), c.rows, device);
  const auto scores = scores_of(c, layers);
  const auto calibration = interval_option(values, device);
  const auto write = request.format == Format::table ? whole_text : table_text;
  write_output(values, write(c, request, calibration, layers, scores), streams.out);
  if (!request.quiet) {
    tell_left_out(c, streams.err);
    streams.err << disagreement_of(c.compared);
  }
  return request.gate && over_gate(scores, *request.gate, streams.err) ? ExitCode::gate_failed
                                                                       : ExitCode::success;
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
