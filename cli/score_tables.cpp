#include "cli/score_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

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
               s.top1_regret_mean, s.top1_regret_max, error(s.top3_regret_mean), cell(s.interval_coverage)});
  }
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

ResultTable worst_table(std::vector<Comparison> pairs, std::size_t count) {
  ResultTable table({{"family"},
                     {"suite"},
                     {"layer"},
                     {"config"},
                     {"measured_s", "measured [us]", 4, 1e-6},
                     {"predicted_s", "predicted [us]", 4, 1e-6},
                     {"signed_error", "error [%]", 3, 0.01}});
  std::ranges::stable_sort(pairs, [](const Comparison& a, const Comparison& b) {
    return std::abs(a.signed_error()) > std::abs(b.signed_error());
  });
  for (std::size_t i = 0; i < std::min(count, pairs.size()); ++i) {
    const auto& p = pairs[i];
    table.add(
        {p.family, p.suite, p.layer, p.config, p.measured.value(), p.predicted.value(), p.signed_error()});
  }
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
    s.top1_regret_mean = (s.top1_regret_mean * static_cast<double>(s.layers) + layer.paper->regret) /
                         static_cast<double>(s.layers + 1);
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
    rows.push_back({name(p.development), "paper", scores, true});
  }
  // By data, then family; models stay in their order.
  std::ranges::stable_sort(rows, [](const ScoreRow& a, const ScoreRow& b) {
    return std::tie(a.data, a.scores.family) < std::tie(b.data, b.scores.family);
  });
  return rows;
}

}  // namespace tilecast
