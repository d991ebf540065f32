#include "validation/mechanisms/row_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
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

// Which of the rows belong to a group.
using Members = std::vector<bool>;

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

std::optional<LikeRows> like_rows(std::span<const FactRow> rows, std::size_t which) {
  constexpr std::size_t fewest_rows = 10, fewest_layers = 3, most_things = 3;
  constexpr double each_more = 1.25, least_share = 0.5;
  const FactRow& row = rows[which];
  const double sign = row.signed_error < 0 ? -1 : 1;
  struct Group {
    LikeRows like;
    Members members;
  };
  // Nothing: too few rows or layers to speak of.
  const auto group_of = [&](std::string what, std::size_t layers_wanted,
                            Members members) -> std::optional<Group> {
    std::vector<double> errors;
    std::set<std::string_view> layers;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!members[i]) continue;
      errors.push_back(rows[i].signed_error);
      layers.insert(rows[i].layer);
    }
    if (errors.size() < fewest_rows || layers.size() < layers_wanted) return std::nullopt;
    return Group{{std::move(what), errors.size(), layers.size(), median(errors), std::nullopt},
                 std::move(members)};
  };
  const auto members_of = [&](auto belongs) {
    Members members(rows.size());
    std::transform(rows.begin(), rows.end(), members.begin(), belongs);
    return members;
  };
  const auto off = [&](const Group& group) { return sign * group.like.median_error; };

  std::optional<Group> best;
  for (std::size_t things = 0; things < most_things; ++things) {
    std::optional<Group> next;
    for (const auto& fact : row.facts.numbers) {
      if (!groups_by(fact.first)) continue;
      Members members =
          members_of([&](const FactRow& other) { return other.facts.find(fact.first) == fact.second; });
      std::string what = equation(fact);
      if (best) {
        std::transform(members.begin(), members.end(), best->members.begin(), members.begin(),
                       std::logical_and{});
        what = best->like.what + ", " + what;
      }
      auto group = group_of(std::move(what), fewest_layers, std::move(members));
      if (group && (!next || off(*group) > off(*next))) next = std::move(group);
    }
    if (!next || (best && off(*next) < each_more * off(*best))) break;
    best = std::move(next);
  }
  const auto layer = group_of("layer " + row.layer, 1,
                              members_of([&](const FactRow& other) { return other.layer == row.layer; }));
  if (layer && (!best || off(*layer) >= off(*best))) best = layer;
  if (!best || off(*best) < least_share * std::abs(row.signed_error)) return std::nullopt;
  std::vector<double> others;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!best->members[i]) others.push_back(rows[i].signed_error);
  }
  if (!others.empty()) best->like.elsewhere = median(others);
  return best->like;
}

std::string like_rows_text(const LikeRows& like) {
  auto text = fmt::format("{} ({} rows of {} layer{}): median {:+.1f} %", like.what, like.rows, like.layers,
                          like.layers == 1 ? "" : "s", 100 * like.median_error);
  if (like.elsewhere) text += fmt::format(", others {:+.1f} %", 100 * *like.elsewhere);
  return text;
}

}  // namespace tilecast
