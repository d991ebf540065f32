#include "validation/mechanisms/row_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>

#include "model/support/statistics.hpp"

namespace tilecast {
namespace {

constexpr std::array<std::string_view, 25> common{"N",
                                                  "C",
                                                  "H",
                                                  "W",
                                                  "M",
                                                  "K",
                                                  "stride",
                                                  "pad",
                                                  "dilation",
                                                  "out_h",
                                                  "out_w",
                                                  "input_bytes",
                                                  "filter_bytes",
                                                  "output_bytes",
                                                  "blocks",
                                                  "cluster",
                                                  "threads",
                                                  "warps",
                                                  "registers",
                                                  "shared_bytes",
                                                  "blocks_per_sm",
                                                  "waves",
                                                  "code_instructions",
                                                  "sms",
                                                  "l2_bytes"};

// Rows are grouped by these and by what is no common fact: a config's axes.
bool groups_by(std::string_view name) {
  return name == "K" || name == "warps" || name == "blocks_per_sm" ||
         std::ranges::find(common, name) == common.end();
}

// Fewer do not make a group.
constexpr std::size_t fewest_rows = 10, fewest_layers = 3;

std::string equation(const std::pair<std::string_view, double>& fact) {
  return fmt::format("{} = {}", fact.first, fact.second);
}

}  // namespace

std::optional<double> RowFacts::find(std::string_view name) const {
  const auto found = std::ranges::find(numbers, name, [](const auto& n) { return n.first; });
  if (found == numbers.end()) return std::nullopt;
  return found->second;
}

std::span<const std::string_view> common_facts() {
  return common;
}

RowFacts row_facts(const ConvShape& s, const Config& config, const KernelDescription& kernel,
                   const DeviceProfile& device) {
  RowFacts facts;
  const auto number = [](auto value) { return static_cast<double>(value); };
  for (const auto& axis : config.values())
    facts.numbers.emplace_back(axis.name, number(axis.value));
  const LaunchShape& launch = kernel.launch;
  const auto fit = occupancy(launch, device);
  constexpr double element_bytes = 4;
  const std::array<double, common.size()> values{number(s.N),
                                                 number(s.C),
                                                 number(s.H),
                                                 number(s.W),
                                                 number(s.M),
                                                 number(s.K),
                                                 number(s.stride),
                                                 number(s.pad),
                                                 number(s.dilation),
                                                 number(s.out_h()),
                                                 number(s.out_w()),
                                                 element_bytes * number(s.input_elements()),
                                                 element_bytes * number(s.filter_elements()),
                                                 element_bytes * number(s.output_elements()),
                                                 number(launch.blocks),
                                                 number(launch.cluster),
                                                 number(launch.threads),
                                                 std::ceil(number(launch.threads) / 32),
                                                 number(launch.registers),
                                                 launch.shared.value(),
                                                 number(fit.blocks_per_sm),
                                                 number(fit.waves),
                                                 kernel.code_instructions,
                                                 number(device.sm_count.get()),
                                                 device.l2_size.get().value()};
  for (std::size_t i = 0; i < common.size(); ++i) {
    if (!facts.find(common[i])) facts.numbers.emplace_back(common[i], values[i]);  // an axis comes first
  }
  return facts;
}

RowGroups::RowGroups(std::span<const FactRow> rows) : rows_(rows), layer_of_(rows.size()) {
  std::map<std::string_view, std::size_t> layer_numbers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    layer_of_[i] = layer_numbers.try_emplace(rows[i].layer, layer_numbers.size()).first->second;
    for (const auto& [name, value] : rows[i].facts.numbers) {
      if (!groups_by(name)) continue;
      auto at = things_.find(name);
      if (at == things_.end()) {
        at = things_.emplace(name, Thing{}).first;
        at->second.values.assign(rows.size(), std::numeric_limits<double>::quiet_NaN());
      }
      double& own = at->second.values[i];
      if (std::isnan(own)) own = value;  // as RowFacts::find: the first of a name
    }
  }
  layer_count_ = layer_numbers.size();
  for (auto& [name, thing] : things_) {
    std::map<double, Places> members;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!std::isnan(thing.values[i])) members[thing.values[i]].push_back(i);
    }
    for (auto& [value, places] : members)
      thing.groups.emplace(value, group_of(equation({name, value}), fewest_layers, std::move(places)));
  }
  std::vector<Places> members(layer_count_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    members[layer_of_[i]].push_back(i);
  for (auto& places : members) {
    std::string what = "layer " + rows[places.front()].layer;
    layers_.push_back(group_of(std::move(what), 1, std::move(places)));
  }
}

std::optional<RowGroups::Group> RowGroups::group_of(std::string what, std::size_t layers_wanted,
                                                    Places members) const {
  if (members.size() < fewest_rows) return std::nullopt;
  std::vector<double> errors;
  std::vector<bool> seen(layer_count_);
  std::size_t layers = 0;
  for (const auto i : members) {
    errors.push_back(rows_[i].signed_error);
    layers += seen[layer_of_[i]] ? 0 : 1;
    seen[layer_of_[i]] = true;
  }
  if (layers < layers_wanted) return std::nullopt;
  return Group{{std::move(what), errors.size(), layers, median(errors), std::nullopt}, std::move(members)};
}

std::optional<LikeRows> RowGroups::like(std::size_t which) const {
  constexpr std::size_t most_things = 3;
  constexpr double each_more = 1.25, least_share = 0.5;
  const FactRow& row = rows_[which];
  const double sign = row.signed_error < 0 ? -1 : 1;
  const auto off = [&](const Group& group) { return sign * group.like.median_error; };

  const Group* best = nullptr;
  std::optional<Group> narrowed;  // what `best` points to from the second thing on
  for (std::size_t things = 0; things < most_things; ++things) {
    const Group* next = nullptr;
    std::optional<Group> found;
    for (const auto& fact : row.facts.numbers) {
      const auto thing = things_.find(fact.first);
      if (thing == things_.end() || std::isnan(fact.second)) continue;
      const auto& [values, groups] = thing->second;
      if (best == nullptr) {
        const auto group = groups.find(fact.second);
        if (group != groups.end() && group->second && (!next || off(*group->second) > off(*next)))
          next = &*group->second;
        continue;
      }
      Places members;
      std::ranges::copy_if(best->members, std::back_inserter(members),
                           [&values = values, &fact](std::size_t i) { return values[i] == fact.second; });
      auto group = group_of(best->like.what + ", " + equation(fact), fewest_layers, std::move(members));
      if (group && (!found || off(*group) > off(*found))) found = std::move(group);
    }
    if (found) next = &*found;
    if (!next || (best && off(*next) < each_more * off(*best))) break;
    if (found) narrowed = std::move(found);
    best = narrowed ? &*narrowed : next;
  }
  const auto& layer = layers_[layer_of_[which]];
  if (layer && (!best || off(*layer) >= off(*best))) best = &*layer;
  if (!best || off(*best) < least_share * std::abs(row.signed_error)) return std::nullopt;
  LikeRows like = best->like;
  std::vector<double> others;
  auto member = best->members.begin();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (member != best->members.end() && *member == i)
      ++member;
    else
      others.push_back(rows_[i].signed_error);
  }
  if (!others.empty()) like.elsewhere = median(others);
  return like;
}

std::string like_rows_text(const LikeRows& like) {
  auto text = fmt::format("{} ({} rows of {} layer{}): median {:+.1f} %", like.what, like.rows, like.layers,
                          like.layers == 1 ? "" : "s", 100 * like.median_error);
  if (like.elsewhere) text += fmt::format(", others {:+.1f} %", 100 * *like.elsewhere);
  return text;
}

}  // namespace tilecast
