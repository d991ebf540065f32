#pragma once
// The tables that compare writes.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "cli/worst_rows.hpp"
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
// What a prediction costs on one core.
struct CostRow {
  std::string model, family;
  std::size_t configs = 0;
  Seconds mean{}, median{}, p90{}, most{};
};
// By model, then family, of the rows' costs.
std::vector<CostRow> cost_rows(const std::string& model, std::span<const PredictedRow> rows);
ResultTable cost_table(std::span<const CostRow> rows);

ResultTable layer_table(std::span<const LayerSummary> layers);
// The pairs at these places. `explanations`: one for each place, in columns of their own; or none.
ResultTable worst_table(std::span<const Comparison> pairs, std::span<const std::size_t> places,
                        std::span<const RowExplanation> explanations = {});
// For people: what is known of each line of that table, by its number.
std::string worst_explanations(std::span<const RowExplanation> explanations);
// The mechanisms that some explanation names, and what their conditions tell apart.
ResultTable mechanism_table(std::span<const FamilyMechanism> mechanisms, std::string_view family);

// The paper's regret by family and suite, from the layers that it has a choice for.
std::vector<ScoreRow> paper_rows(std::span<const LayerSummary> layers);
std::vector<ScoreRow> blind_rows(const BlindResult& result);

}  // namespace tilecast
