#include "cli/score_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "model/support/statistics.hpp"

namespace tilecast {
namespace {

Cell cell(const std::optional<double>& value) {
  return value ? Cell{*value} : Cell{};
}

Cell text_or_absent(const std::string& text) {
  return text.empty() ? Cell{} : Cell{text};
}

}  // namespace

ResultTable score_table(std::span<const ScoreRow> rows) {
  const bool with_data = std::ranges::any_of(rows, [](const auto& r) { return !r.data.empty(); });
  std::vector<Column> columns{{"model"},
                              {"family"},
                              {"suite"},
                              {"n", "configs"},
                              {"layers"},
                              {"median_abs_error", "median [%]", 3, 0.01},
                              {"mean_abs_error", "mean [%]", 3, 0.01},
                              {"p90_abs_error", "p90 [%]", 3, 0.01},
                              {"max_abs_error", "max [%]", 3, 0.01},
                              {"mean_signed_error", "signed [%]", 3, 0.01},
                              {"spearman", "spearman", 3},
                              {"top1_regret_mean", "top-1 regret [%]", 3, 0.01},
                              {"top1_regret_max", "its max [%]", 3, 0.01},
                              {"top1_regret_over_10", "over 10 % in [%]", 3, 0.01},
                              {"top3_regret_mean", "top-3 regret [%]", 3, 0.01},
                              {"interval_coverage", "in interval [%]", 3, 0.01}};
  if (with_data) columns[2] = {"data"};
  ResultTable table(std::move(columns));
  for (const auto& r : rows) {
    const auto& s = r.scores;
    const auto error = [&](double value) { return r.choice_only ? Cell{} : Cell{value}; };
    table.add({r.model, s.family, with_data ? text_or_absent(r.data) : Cell{s.suite},
               r.choice_only ? Cell{} : Cell{static_cast<std::int64_t>(s.n)},
               static_cast<std::int64_t>(s.layers), error(s.median_abs_error), error(s.mean_abs_error),
               error(s.p90_abs_error), error(s.max_abs_error), error(s.mean_signed_error), cell(s.spearman),
               s.top1_regret_mean, s.top1_regret_max, s.top1_regret_over_10, error(s.top3_regret_mean),
               cell(s.interval_coverage)});
  }
  return table;
}

std::vector<CostRow> cost_rows(const std::string& model, std::span<const PredictedRow> rows) {
  std::map<std::string, std::vector<double>> by_family;
  for (const auto& row : rows)
    by_family[row.family].push_back(row.cost.value());
  std::vector<CostRow> costs;
  for (auto& [family, seconds] : by_family) {
    const auto at = [&](double share) { return Seconds{quantile(seconds, share)}; };
    const Seconds all{std::accumulate(seconds.begin(), seconds.end(), 0.0)};
    costs.push_back(
        {model, family, seconds.size(), all / static_cast<double>(seconds.size()), at(0.5), at(0.9), at(1)});
  }
  return costs;
}

ResultTable cost_table(std::span<const CostRow> rows) {
  ResultTable table({{"model"},
                     {"family"},
                     {"n", "configs"},
                     {"mean_s", "mean [ms]", 3, 1e-3},
                     {"median_s", "median [ms]", 3, 1e-3},
                     {"p90_s", "p90 [ms]", 3, 1e-3},
                     {"max_s", "max [ms]", 3, 1e-3}});
  for (const auto& r : rows)
    table.add({r.model, r.family, static_cast<std::int64_t>(r.configs), r.mean.value(), r.median.value(),
               r.p90.value(), r.most.value()});
  return table;
}

ResultTable layer_table(std::span<const LayerSummary> layers) {
  ResultTable table({{"family"},
                     {"suite"},
                     {"layer"},
                     {"n", "configs"},
                     {"best_time_s", "best [us]", 4, 1e-6},
                     {"best_config", "best config"},
                     {"model_regret", "model's regret [%]", 3, 0.01},
                     {"model_config", "model's choice"},
                     {"paper_regret", "paper's regret [%]", 3, 0.01},
                     {"paper_config", "paper's choice"},
                     {"cudnn_time_s", "best cuDNN [us]", 4, 1e-6},
                     {"cudnn", "cuDNN's algorithm or plan"},
                     {"speedup_over_cudnn", "speed-up", 3},
                     {"sgemm_time_s", "SGEMM [us]", 4, 1e-6}});
  for (const auto& l : layers) {
    const auto time = [](const auto& c) { return c ? Cell{c->time.value()} : Cell{}; };
    const auto name = [](const auto& c) { return c ? Cell{c->config} : Cell{}; };
    table.add({l.family, l.suite, l.layer, static_cast<std::int64_t>(l.n), l.best.time.value(), l.best.config,
               l.model.regret, l.model.config, l.paper ? Cell{l.paper->regret} : Cell{},
               l.paper ? Cell{l.paper->config} : Cell{l.paper_reason}, time(l.cudnn), name(l.cudnn),
               cell(l.speedup_over_cudnn()), time(l.sgemm)});
  }
  return table;
}

ResultTable worst_table(std::span<const Comparison> pairs, std::span<const std::size_t> places,
                        std::span<const RowExplanation> explanations) {
  std::vector<Column> columns{{"family"},
                              {"suite"},
                              {"layer"},
                              {"config"},
                              {"measured_s", "measured [us]", 4, 1e-6},
                              {"predicted_s", "predicted [us]", 4, 1e-6},
                              {"signed_error", "error [%]", 3, 0.01}};
  if (!explanations.empty()) {
    for (const char* key :
         {"limiter", "bounds", "could_carry_it", "other_models", "off_like_it", "counters", "mechanisms"})
      columns.push_back({key});
  }
  ResultTable table(std::move(columns));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& p = pairs[places[i]];
    std::vector<Cell> cells{
        p.family, p.suite, p.layer, p.config, p.measured.value(), p.predicted.value(), p.signed_error()};
    if (!explanations.empty()) {
      const auto& e = explanations[i];
      for (const std::string& text :
           {std::string(e.prediction.limiter), bounds_text(e.prediction, e.prediction.bounds.size()),
            carriers_text(e), others_text(e), e.like ? like_rows_text(*e.like) : "", counts_text(e.counts),
            fmt::format("{}", fmt::join(e.mechanisms, " "))})
        cells.push_back(text_or_absent(text));
    }
    table.add(std::move(cells));
  }
  return table;
}

std::string worst_explanations(std::span<const RowExplanation> explanations) {
  std::string text;
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    text += fmt::format("{:>2}. limited by {}: {}\n", i + 1, explanations[i].prediction.limiter,
                        bounds_text(explanations[i].prediction));
    for (const auto& sentence : explanation_sentences(explanations[i]))
      text += fmt::format("    {}\n", sentence);
  }
  return text;
}

ResultTable mechanism_table(std::span<const FamilyMechanism> mechanisms, std::string_view family) {
  ResultTable table({{"family"},
                     {"mechanism"},
                     {"condition"},
                     {"rows"},
                     {"median_error", "median there [%]", 3, 0.01},
                     {"median_elsewhere", "elsewhere [%]", 3, 0.01},
                     {"status"},
                     {"what_happens", "what happens"},
                     {"evidence"}});
  for (const auto& [mechanism, effect] : mechanisms)
    table.add({std::string(family), mechanism.id, mechanism.condition_text,
               static_cast<std::int64_t>(effect.rows), cell(effect.median_error),
               cell(effect.median_elsewhere), mechanism.status, mechanism.mechanism, mechanism.evidence});
  return table;
}

std::vector<ScoreRow> paper_rows(std::span<const LayerSummary> layers) {
  std::vector<ScoreRow> rows;
  for (const auto& layer : layers) {
    if (!layer.paper) continue;
    auto row = std::ranges::find_if(rows, [&](const ScoreRow& r) {
      return r.scores.family == layer.family && r.scores.suite == layer.suite;
    });
    if (row == rows.end()) {
      Scores scores;
      scores.family = layer.family;
      scores.suite = layer.suite;
      row = rows.insert(rows.end(), {.data = "", .model = "paper", .scores = scores, .choice_only = true});
    }
    auto& s = row->scores;
    const auto with = [&](double mean, double one) {
      return (mean * static_cast<double>(s.layers) + one) / static_cast<double>(s.layers + 1);
    };
    s.top1_regret_mean = with(s.top1_regret_mean, layer.paper->regret);
    s.top1_regret_over_10 = with(s.top1_regret_over_10, regret_is_high(layer.paper->regret) ? 1 : 0);
    s.top1_regret_max = std::max(s.top1_regret_max, layer.paper->regret);
    ++s.layers;
  }
  return rows;
}

std::vector<ScoreRow> blind_rows(const BlindResult& result) {
  const auto name = [](bool development) { return development ? "development" : "evaluation"; };
  std::vector<ScoreRow> rows;
  for (const auto& m : result.models)
    rows.push_back({name(m.development), m.model, m.scores});
  for (const auto& p : result.paper) {
    Scores scores;
    scores.family = p.family;
    scores.suite = name(p.development);
    scores.layers = p.layers;
    scores.top1_regret_mean = p.regret_mean;
    scores.top1_regret_max = p.regret_max;
    scores.top1_regret_over_10 = p.regret_over_10;
    rows.push_back({name(p.development), "paper", scores, true});
  }
  // Evaluation data first, then by family; models stay in their order.
  std::ranges::stable_sort(rows, [](const ScoreRow& a, const ScoreRow& b) {
    return std::tie(b.data, a.scores.family) < std::tie(a.data, b.scores.family);
  });
  return rows;
}

}  // namespace tilecast
