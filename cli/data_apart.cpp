#include "cli/data_apart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/models.hpp"
#include "validation/blind/folder.hpp"
#include "validation/measurement_store.hpp"
#include "validation/recorded_predictions.hpp"

namespace tilecast {

RowsApart rows_apart(std::span<const MeasuredRow> rows, std::span<const MeasuredRow> recorded,
                     std::span<const KernelFamily* const> families, const Calibration& calibration) {
  std::set<std::string> drawn;
  if (const auto& sample = calibration.sample) {
    for (const auto& row : sampled_rows(recorded, families, sample->configs, sample->seed))
      drawn.insert(row_key(row));
  }
  RowsApart apart;
  for (const auto& row : rows)
    (drawn.contains(row_key(row)) ? apart.calibration : apart.development).push_back(row);
  return apart;
}

std::vector<ScoreRow> scores_apart(const std::string& model, const RowsApart& rows,
                                   std::span<const PredictedRow> predictions) {
  std::vector<ScoreRow> all;
  const auto add = [&](const char* data, std::span<const MeasuredRow> of) {
    auto pairs = join(of, predictions).pairs;
    for (auto& pair : pairs)
      pair.suite = "all";
    for (auto& s : score(pairs, ties_of(model)))
      all.push_back({data, model, std::move(s)});
  };
  add("calibration", rows.calibration);
  add("development", rows.development);
  return all;
}

std::vector<ScoreRow> evaluation_scores(const std::string& gpu_name, std::span<const MeasuredRow> development,
                                        std::span<const std::string> models,
                                        std::span<const KernelFamily* const> families) {
  if (!has_recorded_blind(gpu_name)) return {};
  auto run = recorded_blind(gpu_name);
  auto measured = std::move(run.measured);
  std::ranges::copy(development, std::back_inserter(measured));
  std::vector<ScoreRow> rows;
  for (auto& m : score_blind(run.frozen, measured, ties_of).models) {
    const bool asked =
        std::ranges::find(models, m.model) != models.end() &&
        std::ranges::any_of(families, [&](const auto* f) { return f->name == m.scores.family; });
    if (!m.development && asked) rows.push_back({"evaluation", m.model, std::move(m.scores)});
  }
  return rows;
}

std::vector<std::string> what_data_are_for(const Calibration& calibration) {
  const auto& sample = calibration.sample;
  return {
      sample ? fmt::format(
                   "calibration: the {} configs drawn of each layer and family (seed {}) that calibrated the "
                   "intervals: their errors set how wide these are, so that nine in ten are inside",
                   sample->configs, sample->seed)
             : "calibration: rows whose errors set how wide the intervals are; not known which",
      "development: all other recorded rows; models were improved after they were seen, no interval was "
      "fitted to them",
      "evaluation: predictions and intervals frozen before the kernels ran; these alone say how far off "
      "predictions of other layers are"};
}

}  // namespace tilecast
