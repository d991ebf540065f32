#pragma once
// Frozen predictions against the rows measured afterwards: scores of each model and family, development and
// evaluation data apart. Nothing is predicted here. Pure.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/workload/measured_row.hpp"
#include "validation/blind/frozen.hpp"
#include "validation/scores.hpp"

namespace tilecast {

struct BlindScores {
  bool development = false;
  std::string model;
  Scores scores;  // of one family, over all suites; its suite is "development" or "evaluation"
};

// The paper's rules give no time, only a choice: the best measured among the configs that they leave open,
// against the best measured of the layer.
struct ChoiceScores {
  bool development = false;
  std::string family;
  std::size_t layers = 0;
  double regret_mean = 0, regret_max = 0, regret_over_10 = 0;
};

struct BlindPair {
  bool development = false;
  std::string model;
  Comparison pair;
};

struct BlindResult {
  std::vector<BlindScores> models;  // development first, then by family, then in the models' order
  std::vector<ChoiceScores> paper;
  std::vector<BlindPair> pairs;  // drawn by the sample, timed, and predicted by the model
  std::size_t measured = 0, not_measured = 0, not_timed = 0;
  std::size_t other_code = 0;  // measured with other machine code than was predicted: left out
};

// `measured` holds evaluation rows and recorded development rows alike. `ties`: of each model, by its name.
BlindResult score_blind(const FrozenPredictions& frozen, std::span<const MeasuredRow> measured,
                        const std::function<Ties(const std::string&)>& ties = {});

}  // namespace tilecast
