#include "validation/blind/score_blind.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "validation/measurement_store.hpp"

namespace tilecast {
namespace {

// Axes in any order, those without a value left out, as two writers may differ in both.
std::string key_of(const std::string& family, const ConvShape& problem, const std::string& config) {
  std::set<std::string> values;
  for (std::size_t begin = 0; begin < config.size();) {
    const auto end = std::min(config.find(' ', begin), config.size());
    values.insert(config.substr(begin, end - begin));
    begin = end + 1;
  }
  std::string key = family + '|' + describe_shape(problem) + '|';
  for (const auto& value : values)
    key += value + ' ';
  return key;
}

std::string config_part(const MeasuredRow& row) {
  const auto key = row_key(row);
  return key.substr(key.rfind('|') + 1);
}

struct TimedRow {
  const FrozenRow* row = nullptr;
  Seconds measured{};
};

using Families = std::vector<std::string>;

Families families_of(const std::vector<TimedRow>& rows, bool development) {
  Families families;
  for (const auto& [row, _] : rows) {
    if (row->development == development && std::ranges::find(families, row->family) == families.end())
      families.push_back(row->family);
  }
  std::ranges::sort(families);
  return families;
}

std::optional<ChoiceScores> paper_scores(const std::vector<TimedRow>& rows, bool development,
                                         const std::string& family) {
  struct Layer {
    std::optional<Seconds> best, chosen;
  };
  std::map<std::string, Layer> layers;
  for (const auto& [row, measured] : rows) {
    if (row->development != development || row->family != family) continue;
    auto& layer = layers[describe_shape(row->problem)];
    const auto keep = [time = measured](std::optional<Seconds>& least) {
      if (!least || time < *least) least = time;
    };
    keep(layer.best);
    if (row->paper_choice) keep(layer.chosen);
  }
  ChoiceScores s{.development = development, .family = family};
  for (const auto& [_, layer] : layers) {
    if (!layer.chosen) continue;
    const double regret = *layer.chosen / *layer.best - 1;
    ++s.layers;
    s.regret_mean += regret;
    s.regret_max = std::max(s.regret_max, regret);
    s.regret_over_10 += regret_is_high(regret) ? 1 : 0;
  }
  if (s.layers == 0) return std::nullopt;
  s.regret_mean /= static_cast<double>(s.layers);
  s.regret_over_10 /= static_cast<double>(s.layers);
  return s;
}

}  // namespace

BlindResult score_blind(const FrozenPredictions& frozen, std::span<const MeasuredRow> measured,
                        const std::function<Ties(const std::string&)>& ties) {
  std::unordered_map<std::string, const MeasuredRow*> by_key;
  for (const auto& row : measured)
    by_key.emplace(key_of(row.family, row.problem, config_part(row)), &row);

  BlindResult result;
  std::vector<TimedRow> rows;
  for (const auto& row : frozen.rows) {
    const auto found = by_key.find(key_of(row.family, row.problem, row.config));
    if (found == by_key.end()) {
      ++result.not_measured;
    } else if (found->second->status != "ok" || !found->second->time) {
      ++result.not_timed;
    } else if (found->second->code_hash != row.code_hash) {
      ++result.other_code;
    } else {
      ++result.measured;
      rows.push_back({&row, *found->second->time});
    }
  }

  for (const bool development : {true, false}) {
    for (const auto& family : families_of(rows, development)) {
      for (std::size_t m = 0; m < frozen.models.size(); ++m) {
        std::vector<Comparison> pairs;
        for (const auto& [row, time] : rows) {
          if (row->development != development || row->family != family || !row->drawn || !row->times[m])
            continue;
          pairs.push_back({row->family, development ? "development" : "evaluation", row->layer, row->problem,
                           row->config, time, row->times[m]->time, row->times[m]->low, row->times[m]->high});
          result.pairs.push_back({development, frozen.models[m], pairs.back()});
        }
        for (auto& scores : score(pairs, ties ? ties(frozen.models[m]) : Ties::against))
          result.models.push_back({development, frozen.models[m], std::move(scores)});
      }
      if (const auto paper = paper_scores(rows, development, family)) result.paper.push_back(*paper);
    }
  }
  return result;
}

}  // namespace tilecast
