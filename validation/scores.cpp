#include "validation/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "model/support/statistics.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {
namespace {

// Axes sorted by name, so that the order in which a file or a family lists them does not matter.
std::string join_key(const std::string& family, const ConvShape& problem,
                     std::vector<std::pair<std::string, std::string>> config) {
  std::ranges::sort(config);
  MeasuredRow row;
  row.family = family;
  row.problem = problem;
  row.config = std::move(config);
  return row_key(row);
}

std::string config_text(const MeasuredRow& row) {
  const auto key = row_key(row);
  return key.substr(key.rfind('|') + 1);
}

// Ranks from 1, equal values sharing the mean of theirs.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]])
      ++end;
    for (std::size_t i = begin; i < end; ++i)
      rank[order[i]] = static_cast<double>(begin + 1 + end) / 2;
    begin = end;
  }
  return rank;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct LayerScores {
  std::optional<double> spearman;
  double top1_regret = 0, top3_regret = 0;
};

// The measured time that the best of the `count` configs predicted fastest has on average, when configs with
// the same prediction are taken in random order: a model that cannot tell them apart picks any. `configs` is
// sorted by prediction.
double expected_best(std::span<const Comparison* const> configs, std::size_t count) {
  count = std::min(count, configs.size());
  const Seconds last = configs[count - 1]->predicted;
  double ahead =
      std::numeric_limits<double>::infinity();  // the best of those that are surely among the first
  std::vector<double> tied;                     // those of which some are
  for (const auto* c : configs) {
    if (c->predicted < last) {
      ahead = std::min(ahead, c->measured.value());
      --count;
    } else if (c->predicted == last) {
      tied.push_back(c->measured.value());
    }
  }
  std::ranges::sort(tied);
  // `count` of the tied ones are drawn. none: the probability that none of those before i is among them.
  double expected = 0, none = 1;
  const auto n = static_cast<double>(tied.size()), k = static_cast<double>(count);
  for (std::size_t i = 0; i < tied.size() && none > 0; ++i) {
    const double left = n - static_cast<double>(i);
    const double drawn = std::min(1.0, k / left);  // that i is, if none before it was
    expected += none * drawn * std::min(ahead, tied[i]);
    none *= 1 - drawn;
  }
  return expected;
}

// Likewise when the slowest of the configs with the same prediction comes first. `configs` is sorted so.
double worst_best(std::span<const Comparison* const> configs, std::size_t count) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto* c : configs.first(std::min(count, configs.size())))
    best = std::min(best, c->measured.value());
  return best;
}

LayerScores score_layer(std::vector<const Comparison*> configs, Ties ties) {
  std::ranges::sort(configs, [](const auto* a, const auto* b) {
    if (a->predicted != b->predicted) return a->predicted < b->predicted;
    return a->measured > b->measured;
  });
  std::vector<double> predicted, measured;
  for (const auto* c : configs) {
    predicted.push_back(c->predicted.value());
    measured.push_back(c->measured.value());
  }
  const double best = *std::ranges::min_element(measured);
  auto correlation = spearman(predicted, measured);
  // Who predicts one time for configs that differ knows nothing of their order.
  if (!correlation && *std::ranges::max_element(measured) > best) correlation = 0;
  const auto best_of = ties == Ties::against ? worst_best : expected_best;
  return {correlation, best_of(configs, 1) / best - 1, best_of(configs, 3) / best - 1};
}

Scores score_group(std::span<const Comparison* const> group, Ties ties) {
  Scores s;
  s.family = group.front()->family;
  s.suite = group.front()->suite;
  s.n = group.size();

  std::vector<double> absolute, signed_errors;
  std::size_t with_interval = 0, covered = 0;
  std::map<std::string, std::vector<const Comparison*>> by_layer;
  for (const auto* c : group) {
    signed_errors.push_back(c->signed_error());
    absolute.push_back(std::abs(signed_errors.back()));
    by_layer[describe_shape(c->problem)].push_back(c);
    if (c->low && c->high) {
      ++with_interval;
      covered += c->measured >= *c->low && c->measured <= *c->high;
    }
  }
  s.layers = by_layer.size();
  s.median_abs_error = quantile(absolute, 0.5);
  s.mean_abs_error = mean(absolute);
  s.p90_abs_error = quantile(absolute, 0.9);
  s.max_abs_error = *std::ranges::max_element(absolute);
  s.mean_signed_error = mean(signed_errors);
  if (with_interval > 0)
    s.interval_coverage = static_cast<double>(covered) / static_cast<double>(with_interval);

  std::vector<double> correlations, top1, top3;
  for (auto& [_, configs] : by_layer) {
    const auto layer = score_layer(std::move(configs), ties);
    if (layer.spearman) correlations.push_back(*layer.spearman);
    top1.push_back(layer.top1_regret);
    top3.push_back(layer.top3_regret);
  }
  if (!correlations.empty()) s.spearman = mean(correlations);
  s.top1_regret_mean = mean(top1);
  s.top1_regret_max = *std::ranges::max_element(top1);
  s.top1_regret_over_10 =
      static_cast<double>(std::ranges::count_if(top1, regret_is_high)) / static_cast<double>(top1.size());
  s.top3_regret_mean = mean(top3);
  return s;
}

}  // namespace

Join join(std::span<const MeasuredRow> measured, std::span<const PredictedRow> predicted) {
  std::unordered_map<std::string, const PredictedRow*> predictions;
  predictions.reserve(predicted.size());
  for (const auto& p : predicted)
    predictions.emplace(join_key(p.family, p.problem, p.config), &p);

  Join result;
  std::unordered_set<std::string> seen;
  std::size_t paired = 0;
  for (const auto& m : measured) {
    auto key = join_key(m.family, m.problem, m.config);
    const auto found = predictions.find(key);
    if (!seen.insert(std::move(key)).second) continue;
    if (m.status != "ok" || !m.time) {
      ++result.not_timed;
      continue;
    }
    if (found == predictions.end()) {
      ++result.only_measured;
      continue;
    }
    ++paired;
    result.pairs.push_back({m.family, m.suite, m.layer, m.problem, config_text(m), *m.time,
                            found->second->time, found->second->low, found->second->high,
                            found->second->code});
  }
  result.only_predicted = predictions.size() - paired;
  return result;
}

std::vector<Scores> score(std::span<const Comparison> pairs, Ties ties) {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::vector<const Comparison*>> groups;
  for (const auto& pair : pairs) {
    const std::pair key{pair.family, pair.suite};
    auto& group = groups[key];
    if (group.empty()) order.push_back(key);
    group.push_back(&pair);
  }
  std::vector<Scores> scores;
  for (const auto& key : order)
    scores.push_back(score_group(groups[key], ties));
  return scores;
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
  const auto rank_x = ranks(x), rank_y = ranks(y);
  const double centre = (static_cast<double>(x.size()) + 1) / 2;  // ties keep the mean rank
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < rank_x.size(); ++i) {
    xy += (rank_x[i] - centre) * (rank_y[i] - centre);
    xx += (rank_x[i] - centre) * (rank_x[i] - centre);
    yy += (rank_y[i] - centre) * (rank_y[i] - centre);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace tilecast
