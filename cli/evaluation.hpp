#pragma once
// Predictions joined with measurements, once, for plot, report and demo.

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/model_evaluation.hpp"
#include "kernels/family.hpp"
#include "model/device/device_profile.hpp"
#include "model/workload/measured_row.hpp"
#include "model/workload/prediction.hpp"
#include "model/workload/suites.hpp"
#include "reports/figure_data.hpp"
#include "reports/tables.hpp"

namespace tilecast {

struct EvaluationOptions {
  std::span<const KernelFamily> families;
  std::function<Prediction(const KernelDescription&, const DeviceProfile&)> predict;
  // Layers to predict beside those that were measured.
  std::vector<Suite> suites;
  unsigned threads = 0;  // 0: as many as the machine has
};

struct Evaluation {
  // By suite, layer and family, in the order of the suites. A layer that a family was measured on has the
  // measured configs alone, so that "best" and "regret" speak of one set; any other has all feasible ones.
  std::vector<PredictedPoint> points;
  std::vector<BaselinePoint> baselines;
  ModelEvaluation models;                          // set by evaluate_analytic()
  std::size_t measured = 0;                        // points with a measurement
  std::map<std::string, std::size_t> not_timed;    // rows without a time, by status
  std::map<std::string, std::size_t> unpredicted;  // measured configs without a prediction, by reason
};

// The same result for any number of threads. Throws what families and the model throw, e.g. UnavailableError
// when the device profile lacks a parameter.
Evaluation evaluate(const DeviceProfile& device, std::span<const MeasuredRow> rows,
                    const EvaluationOptions& options);

// evaluate() with every family and the analytic model, and every model beside it.
Evaluation evaluate_analytic(const DeviceProfile& device, std::span<const MeasuredRow> rows,
                             std::vector<Suite> suites);

// Scores per family and suite of the measured points (validation/scores.hpp).
std::vector<ScoreLine> score_lines(const Evaluation& evaluation);

}  // namespace tilecast
