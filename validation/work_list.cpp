#include "validation/work_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "model/support/errors.hpp"
#include "validation/measurement_columns.hpp"
#include "validation/measurement_store.hpp"
#include "validation/paper_choice.hpp"
#include "validation/sampling.hpp"

namespace tilecast {
namespace {

MeasuredRow row_of(const KernelFamily& family, const SuiteLayer& layer, const Config& config) {
  MeasuredRow row;
  row.family = family.name;
  row.problem = layer.layer.shape;
  row.config = config_text(config);
  return row;
}

// `count` of the configs, in the family's order.
std::vector<Config> sample(std::vector<Config> configs, std::size_t count, std::uint64_t seed,
                           const KernelFamily& family, const SuiteLayer& layer) {
  if (configs.size() <= count) return configs;
  std::vector<std::string> keys;
  for (const auto& config : configs)
    keys.push_back(row_key(row_of(family, layer, config)));
  std::vector<Config> chosen;
  for (const auto place : sampled_places(keys, count, seed))
    chosen.push_back(configs[place]);
  return chosen;
}

// The paper's choice (chang_multi; of chang_single it leaves axes open that the family's configs span) where
// it is feasible and not among `listed` already.
std::optional<Config> paper_choice(const KernelFamily& family, const ConvShape& shape,
                                   const DeviceProfile& device, const std::vector<Config>& listed) {
  const auto partition = paper_partition(family.name, shape, device);
  if (!partition) return std::nullopt;
  const Config& choice = partition->config;
  const bool complete = !listed.empty() && listed.front().values().size() == choice.values().size();
  if (!complete || std::ranges::find(listed, choice) != listed.end() ||
      family.feasible(shape, choice, device))
    return std::nullopt;
  return choice;
}

// Round r of R takes every R-th config, so that each round spans the family's whole range.
std::vector<WorkGroup> in_rounds(const std::vector<WorkGroup>& groups, std::size_t rounds) {
  std::vector<WorkGroup> result;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const auto& group : groups) {
      WorkGroup part{group.layer, group.family, {}};
      for (std::size_t i = round; i < group.configs.size(); i += rounds)
        part.configs.push_back(group.configs[i]);
      if (!part.configs.empty()) result.push_back(std::move(part));
    }
  }
  return result;
}

}  // namespace

std::vector<SuiteLayer> distinct_layers(std::span<const Suite> suites) {
  std::vector<SuiteLayer> layers;
  std::unordered_set<std::string> seen;
  for (const auto& suite : suites) {
    for (const auto& layer : suite.layers) {
      if (seen.insert(describe_shape(layer.shape)).second) layers.push_back({suite.name, layer});
    }
  }
  return layers;
}

WorkList plan_work(std::span<const SuiteLayer> layers, std::span<const KernelFamily* const> families,
                   const DeviceProfile& device, const WorkOptions& options,
                   const std::function<bool(const MeasuredRow&)>& is_done) {
  WorkList list;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto& shape = layers[i].layer.shape;
    for (const auto* family : families) {
      if (family->supports(shape)) {
        ++list.unsupported;
        continue;
      }
      std::vector<Config> configs;
      const auto listed = family->configs(shape, device);
      for (const auto& config : listed) {
        if (family->feasible(shape, config, device)) {
          ++list.infeasible;
        } else {
          configs.push_back(config);
        }
      }
      if (const auto choice = paper_choice(*family, shape, device, listed)) configs.push_back(*choice);
      const auto feasible = configs.size();
      if (options.sample)
        configs = sample(std::move(configs), *options.sample, options.seed, *family, layers[i]);
      list.unsampled += feasible - configs.size();
      list.done +=
          std::erase_if(configs, [&](const Config& c) { return is_done(row_of(*family, layers[i], c)); });
      list.configs += configs.size();
      if (!configs.empty()) list.groups.push_back({i, family, std::move(configs)});
    }
  }
  if (options.order == WorkOrder::interleaved)
    list.groups = in_rounds(list.groups, std::max<std::size_t>(1, options.rounds));
  return list;
}

std::vector<std::pair<std::string, std::string>> config_text(const Config& config) {
  std::vector<std::pair<std::string, std::string>> text;
  for (const auto& v : config.values())
    text.emplace_back(v.name, std::to_string(v.value));
  return text;
}

Config config_of(const MeasuredRow& row) {
  Config config;
  for (const auto& [name, text] : row.config) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() ||
        config.values().size() == Config::capacity)
      throw InputError(fmt::format("{}: '{}', expected an integer for '{}' and at most {} axes", row_key(row),
                                   text, name, Config::capacity));
    config.set(name, value);
  }
  return config;
}

std::vector<std::string> row_columns(std::vector<std::string> axes, std::span<const SuiteLayer> layers) {
  if (std::ranges::any_of(layers, [](const SuiteLayer& l) { return l.layer.shape.dilation != 1; }))
    axes.insert(axes.begin(), std::string(measurement_dilation_column));
  return axes;
}

std::vector<std::string> config_axes(const KernelFamily& family, std::span<const SuiteLayer> layers,
                                     const DeviceProfile& device) {
  std::vector<std::string> axes;
  std::vector<SuiteLayer> supported;
  for (const auto& layer : layers) {
    if (family.supports(layer.layer.shape)) continue;
    supported.push_back(layer);
    for (const auto& config : family.configs(layer.layer.shape, device)) {
      for (const auto& v : config.values()) {
        if (std::ranges::find(axes, v.name) == axes.end()) axes.emplace_back(v.name);
      }
    }
  }
  return row_columns(std::move(axes), supported);
}

}  // namespace tilecast
