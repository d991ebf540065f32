#pragma once
// Every model on the same rows, for the report and its figures.

#include <span>
#include <string>
#include <vector>

#include "model/device/device_profile.hpp"
#include "model/workload/measured_row.hpp"
#include "reports/figure_data.hpp"
#include "reports/tables.hpp"
#include "validation/scores.hpp"

namespace tilecast {

struct ModelEvaluation {
  // Evaluation rows of the recorded blind run where there is one, else every recorded row by the models that
  // need no compiler.
  ModelComparison comparison;
  std::vector<ErrorSummary> ablation;  // of the analytic model, on a sample of the recorded rows
  std::vector<ScoreLine> recorded;     // by family, the paper's choice last
  std::vector<ScoreLine> blind;        // development and evaluation rows of the recorded blind run
  std::string blind_note;              // what was frozen, when there is one
  std::vector<ScoreLine> apart;        // our models on calibration, other development and evaluation rows
  std::string apart_note;              // what each of these is for
};

ModelEvaluation evaluate_models(const DeviceProfile& device, std::span<const MeasuredRow> rows);

ScoreLine line_of(const Scores& scores);

}  // namespace tilecast
