#pragma once
// Scores by what rows were used for: those that calibrated the intervals, other development rows, evaluation
// rows.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/score_tables.hpp"
#include "kernels/family.hpp"
#include "model/workload/measured_row.hpp"
#include "validation/calibration.hpp"
#include "validation/scores.hpp"

namespace tilecast {

// The rows that a calibration was made from, and the others of these families.
struct RowsApart {
  std::vector<MeasuredRow> calibration, development;
};
// `recorded`: what the calibration was drawn from. All are development where it does not say how.
RowsApart rows_apart(std::span<const MeasuredRow> rows, std::span<const MeasuredRow> recorded,
                     std::span<const KernelFamily* const> families, const Calibration& calibration);

// Scores of a model's predictions of these, by family.
std::vector<ScoreRow> scores_apart(const std::string& model, const RowsApart& rows,
                                   std::span<const PredictedRow> predictions);

// Of the GPU's recorded blind run, evaluation rows alone, of those models and families; none where there is
// no such run. `development`: the recorded rows.
std::vector<ScoreRow> evaluation_scores(const std::string& gpu_name, std::span<const MeasuredRow> development,
                                        std::span<const std::string> models,
                                        std::span<const KernelFamily* const> families);

// What each kind of rows is for, a sentence each.
std::vector<std::string> what_data_are_for(const Calibration& calibration);

}  // namespace tilecast
