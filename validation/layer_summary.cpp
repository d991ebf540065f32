#include "validation/layer_summary.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/paper/partitions.hpp"
#include "model/support/errors.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {
namespace {

bool faster(const Comparison* a, const Comparison* b) {
  return a->measured < b->measured;
}

ChosenConfig chosen(const Comparison& c, Seconds best) {
  return {c.config, c.measured, c.measured / best - 1};
}

std::set<std::string> words(const std::string& text) {
  std::set<std::string> result;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(' ', begin), text.size());
    if (end > begin) result.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

// Whether `config` has every value that the paper fixes. Its choice between prefetching and the volume method
// is the single-channel family's loads_in_flight: none, or some.
bool agrees(const std::string& config, const paper::Partition& partition) {
  const auto has = words(config);
  const auto values = partition.config.values();
  const bool all = std::ranges::all_of(values, [&](const ConfigValue& v) {
    return has.contains(std::string(v.name) + '=' + std::to_string(v.value));
  });
  if (!all || config.find("loads_in_flight=") == std::string::npos) return all;
  return has.contains("loads_in_flight=0") == partition.hides_latency;
}

void add_paper_choice(LayerSummary& summary, const std::vector<const Comparison*>& configs,
                      const DeviceProfile& device) {
  if (const auto refused = paper::refusal(summary.problem)) {
    summary.paper_reason = *refused;
    return;
  }
  if (paper::family_of(summary.problem) != summary.family) {
    summary.paper_reason = "not the paper's kernel for this layer";
    return;
  }
  try {
    const auto partition = paper::chosen_partition(summary.problem, paper::device_constants(device));
    const Comparison* best = nullptr;
    for (const auto* c : configs) {
      if (agrees(c->config, partition) && (!best || faster(c, best))) best = c;
    }
    if (best) {
      summary.paper = chosen(*best, summary.best.time);
    } else {
      summary.paper_reason = "not measured: " + describe_config(partition.config);
    }
  } catch (const UnavailableError& error) {
    summary.paper_reason = error.what();
  }
}

using Baselines = std::map<std::string, ChosenConfig>;  // by problem

void keep_best(Baselines& baselines, const MeasuredRow& row) {
  const auto key = row_key(row);
  const ChosenConfig candidate{row.family + ' ' + key.substr(key.rfind('|') + 1), *row.time, 0};
  const auto [at, fresh] = baselines.try_emplace(describe_shape(row.problem), candidate);
  if (!fresh && candidate.time < at->second.time) at->second = candidate;
}

std::optional<ChosenConfig> against(const Baselines& baselines, const LayerSummary& summary) {
  const auto found = baselines.find(describe_shape(summary.problem));
  if (found == baselines.end()) return std::nullopt;
  auto baseline = found->second;
  baseline.regret = baseline.time / summary.best.time - 1;
  return baseline;
}

}  // namespace

std::optional<double> LayerSummary::speedup_over_cudnn() const {
  if (!cudnn) return std::nullopt;
  return cudnn->time / best.time;
}

std::vector<LayerSummary> summarise_layers(std::span<const Comparison> pairs,
                                           std::span<const MeasuredRow> measured,
                                           const DeviceProfile& device) {
  Baselines cudnn, sgemm;
  for (const auto& row : measured) {
    if (!row.time) continue;
    if (row.family.starts_with("cudnn_")) keep_best(cudnn, row);
    if (row.family == "cublas_sgemm") keep_best(sgemm, row);
  }

  using Key = std::tuple<std::string, std::string, std::string>;
  std::vector<Key> order;
  std::map<Key, std::vector<const Comparison*>> groups;
  for (const auto& pair : pairs) {
    const Key key{pair.family, pair.suite, describe_shape(pair.problem)};
    auto& group = groups[key];
    if (group.empty()) order.push_back(key);
    group.push_back(&pair);
  }

  std::vector<LayerSummary> summaries;
  for (const auto& key : order) {
    const auto& configs = groups[key];
    const auto& first = *configs.front();
    LayerSummary summary;
    summary.family = first.family;
    summary.suite = first.suite;
    summary.layer = first.layer;
    summary.problem = first.problem;
    summary.n = configs.size();
    const auto& best = **std::ranges::min_element(configs, faster);
    summary.best = chosen(best, best.measured);
    // A tie in the prediction is broken against the model, as in score().
    const auto& model = **std::ranges::min_element(configs, [](const auto* a, const auto* b) {
      return a->predicted != b->predicted ? a->predicted < b->predicted : a->measured > b->measured;
    });
    summary.model = chosen(model, best.measured);
    add_paper_choice(summary, configs, device);
    summary.cudnn = against(cudnn, summary);
    summary.sgemm = against(sgemm, summary);
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace tilecast
