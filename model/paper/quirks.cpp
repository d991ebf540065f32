#include "model/paper/quirks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/support/errors.hpp"
#include "model/support/nearest.hpp"

namespace tilecast::paper {

std::span<const QuirkSwitch> quirk_switches() {
  static const QuirkSwitch switches[] = {
      {"fma-count", {"flops", "fmas"}, "N_FMA counts two operations per FMA (the paper), or one"},
      {"map-unit", {"pixels", "bytes"}, "the map's share in the multi-channel capacity: pixels (the paper)"},
      {"latency", {"profile", "alternative"}, "global-memory latency: the profile's, or its alternative"},
      {"registers",
       {"stated", "resident"},
       "registers a thread: 128 (the paper), or what 1,024 threads leave"},
      {"channel-split", {"rejected", "clusters"}, "division along channels: rejected (the paper)"},
      {"lower-bound", {"printed", "exact"}, "lower bounds of P and Q: as printed, or D1 and D2 must fit"},
      {"pairing", {"inferred", "full-grid"}, "map sizes and channels of the paper's figures"},
      {"m-tile-rounding", {"down", "up"}, "M' from its bound: 64.5 -> 64 (the paper), or 65"},
      {"segment", {"32", "64", "128"}, "S of the multi-channel choice, bytes"},
      {"wx-tile", {"128", "32", "64", "96", "256", "512"}, "W'x of the multi-channel choice, pixels"},
  };
  return switches;
}

void set_quirk(Quirks& quirks, std::string_view name, std::string_view value) {
  const auto switches = quirk_switches();
  const auto found = std::ranges::find(switches, name, &QuirkSwitch::name);
  if (found == switches.end()) {
    std::vector<std::string> known;
    for (const auto& s : switches)
      known.emplace_back(s.name);
    throw UsageError(fmt::format("unknown switch '{}'", name), nearest_hint(name, known));
  }
  const auto position = std::ranges::find(found->values, value);
  if (position == found->values.end()) {
    throw UsageError(
        fmt::format("--{}: '{}', expected one of {}", name, value, fmt::join(found->values, ", ")));
  }
  const bool first = position == found->values.begin();
  if (name == "fma-count") quirks.fma_count = first ? FmaCount::flops : FmaCount::fmas;
  if (name == "map-unit") quirks.map_unit = first ? MapUnit::pixels : MapUnit::bytes;
  if (name == "latency") quirks.latency = first ? Latency::profile : Latency::alternative;
  if (name == "registers") quirks.registers = first ? Registers::stated : Registers::resident;
  if (name == "channel-split") quirks.channel_split = first ? ChannelSplit::rejected : ChannelSplit::clusters;
  if (name == "lower-bound") quirks.lower_bound = first ? LowerBound::printed : LowerBound::exact;
  if (name == "pairing") quirks.pairing = first ? Pairing::inferred : Pairing::full_grid;
  if (name == "m-tile-rounding") quirks.m_tile_rounding = first ? MTileRounding::down : MTileRounding::up;
  if (name == "segment") quirks.segment_bytes = std::stoll(std::string(value));
  if (name == "wx-tile") quirks.wx_tile = std::stoll(std::string(value));
}

std::string paired_suite(std::string_view suite, const Quirks& quirks) {
  const bool paired = suite == "chang-single" || suite == "chang-multi";
  return std::string(suite) + (paired && quirks.pairing == Pairing::full_grid ? "-grid" : "");
}

}  // namespace tilecast::paper
