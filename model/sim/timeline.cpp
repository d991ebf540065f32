#include "model/sim/timeline.hpp"

#include <fmt/ostream.h>

#include <cmath>
#include <string_view>

namespace tilecast::sim {
namespace {

struct Labels {
  std::string name;
  std::string_view category;
};

Labels labels(const TimelineEvent& e, const Timeline& timeline) {
  using Kind = TimelineEvent::Kind;
  switch (e.kind) {
    case Kind::block:
      return {fmt::format("block {}", e.block), "block"};
    case Kind::warp:
      return {fmt::format("warp {}", e.warp), "warp"};
    case Kind::loop:
      return {timeline.loop_names[static_cast<std::size_t>(e.detail)], "loop"};
    case Kind::trip:
      return {fmt::format("trip {}", e.detail), "trip"};
    case Kind::barrier:
      return {"barrier", "barrier"};
    case Kind::skipped:
      return {fmt::format("{} trips like those before", e.detail), "skipped"};
  }
  return {};
}

// A loop's name is the caller's text.
std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

void write_chrome_trace(std::ostream& out, const Timeline& timeline, double clock) {
  // Begins and ends are rounded alike, durations not at all: rounded by themselves, an event's end would pass
  // the end of the one it lies in, or the next one's begin.
  constexpr double steps = 1e10;  // a second; four decimals of a microsecond
  const auto rounded = [&](Cycle cycles) {
    return std::llround(static_cast<double>(cycles) / clock * steps);
  };
  const auto us = [](long long step) { return fmt::format("{}.{:04}", step / 10000, step % 10000); };
  out << "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{";
  fmt::print(out, "\"events_dropped\":{}}},\n\"traceEvents\":[", timeline.dropped);
  std::string_view comma = "\n";
  for (const auto& e : timeline.events) {
    const auto [name, category] = labels(e, timeline);
    fmt::print(out,
               "{}{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},"
               "\"args\":{{\"cycles\":{}}}}}",
               comma, json_string(name), category, e.block,
               e.kind == TimelineEvent::Kind::block ? 0 : e.warp + 1, us(rounded(e.begin)),
               us(rounded(e.end) - rounded(e.begin)), e.end - e.begin);
    comma = ",\n";
  }
  out << "\n]}\n";
}

}  // namespace tilecast::sim
