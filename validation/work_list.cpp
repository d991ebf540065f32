#include "validation/work_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "model/paper/partitions.hpp"
#include "model/support/errors.hpp"
#include "validation/device/random_values.h"
#include "validation/measurement_store.hpp"

namespace tilecast {
namespace {

MeasuredRow row_of(const KernelFamily& family, const SuiteLayer& layer, const Config& config) {
  MeasuredRow row;
  row.family = family.name;
  row.problem = layer.layer.shape;
  row.config = config_text(config);
  return row;
}

// A number that depends on the seed and the key alone (FNV-1a, then mixed), so that a sample is the same on
// every machine and a larger one contains a smaller one.
std::uint64_t draw(std::uint64_t seed, const std::string& key) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const unsigned char c : key)
    hash = (hash ^ c) * 0x100000001B3ull;
  return mix64(hash ^ mix64(seed));
}

// The `count` configs with the smallest draws, in the family's order.
std::vector<Config> sample(std::vector<Config> configs, std::size_t count, std::uint64_t seed,
                           const KernelFamily& family, const SuiteLayer& layer) {
  if (configs.size() <= count) return configs;
  std::vector<std::pair<std::uint64_t, std::size_t>> draws;
  for (std::size_t i = 0; i < configs.size(); ++i)
    draws.emplace_back(draw(seed, row_key(row_of(family, layer, configs[i]))), i);
  std::ranges::sort(draws);
  draws.resize(count);
  std::ranges::sort(draws, {}, &std::pair<std::uint64_t, std::size_t>::second);
  std::vector<Config> chosen;
  for (const auto& [_, i] : draws)
    chosen.push_back(configs[i]);
  return chosen;
}

// The paper's choice (chang_multi; of chang_single it leaves axes open that the family's configs span) where
// it is feasible and not among `listed` already.
std::optional<Config> paper_choice(const KernelFamily& family, const ConvShape& shape,
                                   const DeviceProfile& device, const std::vector<Config>& listed) {
  if (paper::refusal(shape) || paper::family_of(shape) != family.name) return std::nullopt;
  try {
    const Config choice = paper::chosen_partition(shape, paper::device_constants(device)).config;
    const bool complete = !listed.empty() && listed.front().values().size() == choice.values().size();
    if (!complete || std::ranges::find(listed, choice) != listed.end() ||
        family.feasible(shape, choice, device))
      return std::nullopt;
    return choice;
  } catch (const UnavailableError&) {  // the profile lacks what the paper's model needs
    return std::nullopt;
  }
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

std::vector<std::string> config_axes(const KernelFamily& family, std::span<const SuiteLayer> layers,
                                     const DeviceProfile& device) {
  std::vector<std::string> axes;
  for (const auto& layer : layers) {
    if (family.supports(layer.layer.shape)) continue;
    for (const auto& config : family.configs(layer.layer.shape, device)) {
      for (const auto& v : config.values()) {
        if (std::ranges::find(axes, v.name) == axes.end()) axes.emplace_back(v.name);
      }
    }
  }
  return axes;
}

}  // namespace tilecast
