#pragma once
// The tables that compare writes.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "validation/blind/score_blind.hpp"
#include "validation/layer_summary.hpp"
#include "validation/scores.hpp"

namespace tilecast {

// A line of a score table. The paper's rules say no time: they have regrets alone.
struct ScoreRow {
  std::string data;  // "development", "evaluation"; empty: the table has no such column
  std::string model;
  Scores scores;
  bool choice_only = false;
};

ResultTable score_table(std::span<const ScoreRow> rows);
ResultTable layer_table(std::span<const LayerSummary> layers);
// The `count` pairs with the largest error, of one model.
ResultTable worst_table(std::vector<Comparison> pairs, std::size_t count);

// The paper's regret by family and suite, from the layers that it has a choice for.
std::vector<ScoreRow> paper_rows(std::span<const LayerSummary> layers);
std::vector<ScoreRow> blind_rows(const BlindResult& result);

}  // namespace tilecast
