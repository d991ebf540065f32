#pragma once
// How wrong a model is: predicted against measured times of the same kernels, per family and suite. Pure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/units/quantity.hpp"
#include "model/workload/measured_row.hpp"
#include "model/workload/prediction.hpp"

namespace tilecast {

// One config of one layer, predicted.
struct PredictedRow {
  std::string family;
  ConvShape problem;
  std::vector<std::pair<std::string, std::string>> config;
  Seconds time{};
  std::optional<Seconds> low, high;  // 90 % interval, where the model gives one
  CodeSource code = CodeSource::own;
  Seconds cost{};  // processor time of the prediction, what the model prepares left out; 0: not timed
};

// Both times of one config.
struct Comparison {
  std::string family, suite, layer;
  ConvShape problem;
  std::string config;  // "P=4 Q=1"
  Seconds measured{}, predicted{};
  std::optional<Seconds> low, high;
  CodeSource code = CodeSource::own;  // that the prediction rests on

  // (predicted - measured) / measured: positive when the model is too slow.
  double signed_error() const { return (predicted - measured) / measured; }
};

// What has a counterpart on the other side, and how many have none.
struct Join {
  std::vector<Comparison> pairs;
  std::size_t only_measured = 0;   // timed, but not predicted
  std::size_t only_predicted = 0;  // predicted, but not timed
  std::size_t not_timed = 0;       // measured rows whose status is not "ok"
};

// Joins by (family, problem, config); the order of a config's axes does not matter. Of several measured rows
// with one key the first counts.
Join join(std::span<const MeasuredRow> measured, std::span<const PredictedRow> predicted);

struct Scores {
  std::string family, suite;
  std::size_t n = 0;       // configs
  std::size_t layers = 0;  // distinct problems
  // Of |predicted - measured| / measured over configs; percentiles interpolate linearly between ranks.
  double median_abs_error = 0, mean_abs_error = 0, p90_abs_error = 0, max_abs_error = 0;
  double mean_signed_error = 0;
  // Mean over layers of the rank correlation within a layer (ties get their mean rank; 0 where configs that
  // differ are all predicted alike). Absent when no layer has two different measured times.
  std::optional<double> spearman;
  // Per layer: measured time of the config predicted best, over the best measured, minus 1; see Ties.
  double top1_regret_mean = 0, top1_regret_max = 0;
  double top1_regret_over_10 = 0;           // share of the layers where it is more than 10 %
  double top3_regret_mean = 0;              // best measured among the three predicted best
  std::optional<double> interval_coverage;  // share of measured times inside the predicted interval
};

inline bool regret_is_high(double regret) {
  return regret > 0.1;
}

// Configs with the same prediction, of which a model that cannot tell them apart picks any: the slowest
// counts, or the mean over all orders. Our models are scored against, rivals by the mean, so that no gain
// over them comes from the rule.
enum class Ties { against, mean };

// One entry for each (family, suite), in order of first appearance.
std::vector<Scores> score(std::span<const Comparison> pairs, Ties ties = Ties::against);

// Rank correlation of two equally long lists; nullopt when either has no two different values.
std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

}  // namespace tilecast
