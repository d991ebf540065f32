#include "validation/blind/picks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "model/support/errors.hpp"
#include "validation/measurement_store.hpp"
#include "validation/paper_choice.hpp"
#include "validation/sampling.hpp"

namespace tilecast {
namespace {

constexpr std::size_t most_paper_choices = 4;

std::vector<Config> sampled(const std::vector<Config>& configs, const std::string& where, std::size_t count,
                            std::uint64_t seed) {
  std::vector<std::string> keys;
  for (const auto& config : configs)
    keys.push_back(where + '|' + describe_config(config));
  std::vector<Config> chosen;
  for (const auto place : sampled_places(keys, count, seed))
    chosen.push_back(configs[place]);
  return chosen;
}

// Those that the rules choose, on the family's list or (chang_multi: any M') beside it.
std::vector<Config> paper_choices(const paper::Partition& partition, const std::vector<Config>& feasible,
                                  const KernelFamily& family, const ConvShape& shape,
                                  const DeviceProfile& device) {
  std::vector<Config> choices;
  for (const auto& config : feasible) {
    if (is_paper_choice(partition, config)) choices.push_back(config);
  }
  const bool complete =
      !feasible.empty() && feasible.front().values().size() == partition.config.values().size();
  if (choices.empty() && complete && !family.feasible(shape, partition.config, device))
    choices.push_back(partition.config);
  return choices;
}

// The row's config with the family's own axis names, if the device can run it.
std::optional<Config> feasible_config(const MeasuredRow& row, const KernelFamily& family,
                                      const std::set<std::string_view>& axes, const DeviceProfile& device) {
  Config config;
  for (const auto& v : config_of(row).values()) {
    const auto axis = axes.find(v.name);
    if (axis == axes.end()) return std::nullopt;
    config.set(*axis, v.value);
  }
  if (config.values().size() != axes.size() || family.feasible(row.problem, config, device))
    return std::nullopt;
  return config;
}

}  // namespace

std::vector<SuiteLayer> unseen_layers(std::span<const SuiteLayer> layers,
                                      std::span<const MeasuredRow> recorded, std::size_t& known) {
  std::set<std::string> seen;
  for (const auto& row : recorded)
    seen.insert(describe_shape(row.problem));
  std::vector<SuiteLayer> unseen;
  for (const auto& layer : layers) {
    if (!seen.contains(describe_shape(layer.layer.shape))) unseen.push_back(layer);
  }
  known = layers.size() - unseen.size();
  return unseen;
}

std::vector<BlindPick> evaluation_picks(std::span<const SuiteLayer> layers,
                                        std::span<const KernelFamily* const> families,
                                        const DeviceProfile& device, const BlindOptions& options) {
  std::vector<BlindPick> picks;
  for (const auto& [suite, layer] : layers) {
    for (const auto* family : families) {
      if (family->supports(layer.shape)) continue;
      std::vector<Config> feasible;
      for (const auto& config : family->configs(layer.shape, device)) {
        if (!family->feasible(layer.shape, config, device)) feasible.push_back(config);
      }
      const auto where = std::string(family->name) + '|' + describe_shape(layer.shape);
      const auto drawn = sampled(feasible, where, options.sample, options.seed);
      const auto partition = paper_partition(family->name, layer.shape, device);
      const auto pick = [&](const Config& config, bool by_sample) {
        picks.push_back({.development = false,
                         .suite = suite,
                         .layer = layer.id,
                         .problem = layer.shape,
                         .family = family,
                         .config = config,
                         .drawn = by_sample,
                         .paper_choice = partition && is_paper_choice(*partition, config)});
      };
      for (const auto& config : drawn)
        pick(config, true);
      if (!partition) continue;
      const auto choices = sampled(paper_choices(*partition, feasible, *family, layer.shape, device), where,
                                   most_paper_choices, options.seed);
      for (const auto& config : choices) {
        if (std::ranges::find(drawn, config) == drawn.end()) pick(config, false);
      }
    }
  }
  return picks;
}

std::vector<BlindPick> development_picks(std::span<const MeasuredRow> recorded,
                                         std::span<const KernelFamily* const> families,
                                         const DeviceProfile& device, const BlindOptions& options,
                                         std::size_t most) {
  using Group = std::pair<const KernelFamily*, std::string>;
  std::vector<Group> order;
  std::map<Group, std::vector<const MeasuredRow*>> groups;
  std::set<std::string> seen;
  for (const auto& row : recorded) {
    const auto family = std::ranges::find(families, row.family, [](const auto* f) { return f->name; });
    if (family == families.end() || row.status != "ok" || (*family)->supports(row.problem) ||
        !seen.insert(row_key(row)).second)
      continue;
    const Group key{*family, describe_shape(row.problem)};
    auto& group = groups[key];
    if (group.empty()) order.push_back(key);
    group.push_back(&row);
  }

  std::vector<std::string> names;
  for (const auto& [family, shape] : order)
    names.push_back(std::string(family->name) + '|' + shape);
  std::vector<BlindPick> picks;
  for (const auto group : sampled_places(names, most, options.seed)) {
    const auto& key = order[group];
    const auto& rows = groups[key];
    const auto& first = *rows.front();
    std::set<std::string_view> axes;
    for (const auto& config : key.first->configs(first.problem, device)) {
      for (const auto& v : config.values())
        axes.insert(v.name);
    }
    std::vector<std::string> keys;
    for (const auto* row : rows)
      keys.push_back(row_key(*row));
    const auto partition = paper_partition(key.first->name, first.problem, device);
    for (const auto place : sampled_places(keys, options.sample, options.seed)) {
      const auto config = feasible_config(*rows[place], *key.first, axes, device);
      if (!config) continue;
      picks.push_back({.development = true,
                       .suite = rows[place]->suite,
                       .layer = rows[place]->layer,
                       .problem = first.problem,
                       .family = key.first,
                       .config = *config,
                       .drawn = true,
                       .paper_choice = partition && is_paper_choice(*partition, *config)});
    }
  }
  return picks;
}

std::size_t layers_of_families(std::span<const BlindPick> picks) {
  std::set<std::pair<const KernelFamily*, std::string>> seen;
  for (const auto& pick : picks)
    seen.emplace(pick.family, describe_shape(pick.problem));
  return seen.size();
}

}  // namespace tilecast
