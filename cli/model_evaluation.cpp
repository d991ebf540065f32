#include "cli/model_evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/data_apart.hpp"
#include "cli/models.hpp"
#include "cli/score_tables.hpp"
#include "kernels/family.hpp"
#include "reports/error_rows.hpp"
#include "validation/blind/folder.hpp"
#include "validation/layer_summary.hpp"
#include "validation/measurement_store.hpp"
#include "validation/recorded_predictions.hpp"

namespace tilecast {
namespace {

constexpr std::size_t ablation_sample = 12;  // configs of each layer and family

std::vector<const KernelFamily*> all_families() {
  std::vector<const KernelFamily*> families;
  for (const auto& family : kernel_families())
    families.push_back(&family);
  return families;
}

std::vector<Comparison> with_one_suite(std::vector<Comparison> pairs) {
  for (auto& pair : pairs)
    pair.suite = "recorded";
  return pairs;
}

ScoreLine line_of(const ScoreRow& row) {
  auto line = line_of(row.scores);
  line.model = row.model;
  line.data = row.data;
  if (!row.choice_only) return line;
  line.n = 0;
  line.median_abs_error = line.mean_abs_error = line.p90_abs_error = line.max_abs_error =
      line.mean_signed_error = line.top3_regret_mean = std::nullopt;
  return line;
}

void add_points(std::vector<ModelPoint>& points, const std::string& model, const Comparison& pair) {
  points.push_back({model, pair.family, pair.measured, pair.predicted});
}

// Families in alphabetical order, models in theirs.
void sort_by_family(std::vector<ScoreLine>& lines) {
  std::ranges::stable_sort(lines, {}, &ScoreLine::family);
}

void evaluate_apart(ModelEvaluation& evaluation, const DeviceProfile& device,
                    std::span<const MeasuredRow> rows, std::span<const KernelFamily* const> families,
                    const Calibration& calibration, const RecordedPredictions& predictions) {
  const auto parts = rows_apart(rows, recorded_measurements(device.gpu_name), families, calibration);
  std::vector<std::string> ours;
  for (const auto& model : models()) {
    if (model.kind == ModelKind::own) ours.emplace_back(model.name);
  }
  std::vector<ScoreRow> scores;
  for (const auto& model : predictions.models) {
    if (ties_of(model.model) == Ties::against)
      std::ranges::move(scores_apart(model.model, parts, model.rows), std::back_inserter(scores));
  }
  std::ranges::move(evaluation_scores(device.gpu_name, rows, ours, families), std::back_inserter(scores));
  for (const auto& row : scores) {
    evaluation.apart.push_back(line_of(row));
    evaluation.apart.back().suite.clear();
  }
  for (const auto& sentence : what_data_are_for(calibration))
    evaluation.apart_note += sentence + ". ";
  evaluation.apart_note +=
      "The simulator is not asked of every recorded row here: tilecast compare --model sim --by-data does. ";
}

void evaluate_recorded(ModelEvaluation& evaluation, const DeviceProfile& device,
                       std::span<const MeasuredRow> rows) {
  const auto families = all_families();
  const auto calibration = recorded_calibration(device.gpu_name);
  std::vector<BoundModel> bound;
  for (const auto& model : models()) {
    if (model.fast) bound.push_back(calibrated(model.bind(device), calibration));
  }
  const auto predictions = predict_recorded(rows, families, device, bound);
  evaluate_apart(evaluation, device, rows, families, calibration, predictions);
  for (const auto& model : predictions.models) {
    const auto pairs = with_one_suite(join(rows, model.rows).pairs);
    for (const auto& pair : pairs)
      add_points(evaluation.comparison.points, model.model, pair);
    for (const auto& scores : score(pairs, ties_of(model.model))) {
      evaluation.recorded.push_back(line_of(scores));
      evaluation.recorded.back().model = model.model;
    }
    if (&model != &predictions.models.front()) continue;
    for (const auto& row : paper_rows(summarise_layers(pairs, rows, device)))
      evaluation.recorded.push_back(line_of(row));
  }
  for (auto& line : evaluation.recorded)
    line.suite.clear();
  // The paper's lines came with the first model's.
  std::ranges::stable_partition(evaluation.recorded, [](const ScoreLine& l) { return l.model != "paper"; });
  sort_by_family(evaluation.recorded);
  evaluation.comparison.rows = fmt::format(
      "{} recorded configs", predictions.models.empty() ? 0 : predictions.models.front().rows.size());
}

void evaluate_ablation(ModelEvaluation& evaluation, const DeviceProfile& device,
                       std::span<const MeasuredRow> rows) {
  std::vector<BoundModel> bound{bind_analytic({})};
  bound.back().name.clear();
  for (const auto& name : analytic::bound_names()) {
    bound.push_back(bind_analytic({.without = {name}}));
    bound.back().name = name;
  }
  const auto drawn = sampled_rows(rows, all_families(), ablation_sample, RecordedOptions{}.seed);
  std::vector<ModelPoint> points;
  for (const auto& model : predict_recorded(drawn, all_families(), device, bound).models) {
    for (const auto& pair : join(drawn, model.rows).pairs)
      add_points(points, model.model, pair);
  }
  evaluation.ablation = summarise_errors(points);
}

void evaluate_blind(ModelEvaluation& evaluation, const DeviceProfile& device,
                    std::span<const MeasuredRow> rows) {
  if (!has_recorded_blind(device.gpu_name)) return;
  auto run = recorded_blind(device.gpu_name);
  auto measured = std::move(run.measured);
  std::ranges::copy(rows, std::back_inserter(measured));
  const auto result = score_blind(run.frozen, measured, ties_of);
  for (const auto& row : blind_rows(result)) {
    evaluation.blind.push_back(line_of(row));
    evaluation.blind.back().suite.clear();
  }
  evaluation.blind_note = fmt::format(
      "Predictions frozen before the kernels ran (tilecast {}, device profile {:.12}, file {:.12}); {} rows "
      "measured. ",
      run.frozen.tool_version, run.frozen.device_sha256, run.frozen.sha256, result.measured);
  std::vector<ModelPoint> points;
  std::set<std::string> layers, kernels;
  for (const auto& pair : result.pairs) {
    if (pair.development || is_unread_analytic(pair.model))
      continue;  // figures show models, as they are best
    add_points(points, pair.model, pair.pair);
    layers.insert(describe_shape(pair.pair.problem));
    kernels.insert(pair.pair.family + describe_shape(pair.pair.problem) + pair.pair.config);
  }
  if (points.empty()) return;
  evaluation.comparison = {fmt::format("{} configs of {} layers, predicted before they were measured",
                                       kernels.size(), layers.size()),
                           std::move(points)};
}

}  // namespace

ScoreLine line_of(const Scores& s) {
  return {.model = "",
          .data = "",
          .family = s.family,
          .suite = s.suite,
          .n = static_cast<std::int64_t>(s.n),
          .layers = static_cast<std::int64_t>(s.layers),
          .median_abs_error = s.median_abs_error,
          .mean_abs_error = s.mean_abs_error,
          .p90_abs_error = s.p90_abs_error,
          .max_abs_error = s.max_abs_error,
          .mean_signed_error = s.mean_signed_error,
          .spearman = s.spearman,
          .top1_regret_mean = s.top1_regret_mean,
          .top1_regret_max = s.top1_regret_max,
          .top1_regret_over_10 = s.top1_regret_over_10,
          .top3_regret_mean = s.top3_regret_mean,
          .interval_coverage = s.interval_coverage};
}

ModelEvaluation evaluate_models(const DeviceProfile& device, std::span<const MeasuredRow> rows) {
  ModelEvaluation evaluation;
  const bool any = std::ranges::any_of(rows, [](const MeasuredRow& row) {
    return row.time &&
           std::ranges::any_of(kernel_families(), [&](const auto& f) { return f.name == row.family; });
  });
  if (!any) return evaluation;
  evaluate_recorded(evaluation, device, rows);
  evaluate_ablation(evaluation, device, rows);
  evaluate_blind(evaluation, device, rows);
  return evaluation;
}

}  // namespace tilecast
