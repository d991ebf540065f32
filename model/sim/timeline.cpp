#include "model/sim/timeline.hpp"

#include <fmt/ostream.h>

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
  constexpr double microseconds = 1e6;
  const auto us = [&](Cycle cycles) { return static_cast<double>(cycles) / clock * microseconds; };
  out << "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{";
  fmt::print(out, "\"events_dropped\":{}}},\n\"traceEvents\":[", timeline.dropped);
  std::string_view comma = "\n";
  for (const auto& e : timeline.events) {
    const auto [name, category] = labels(e, timeline);
    fmt::print(
        out,
        "{}{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{:.4f},\"dur\":{:.4f},"
        "\"args\":{{\"cycles\":{}}}}}",
        comma, json_string(name), category, e.block, e.kind == TimelineEvent::Kind::block ? 0 : e.warp + 1,
        us(e.begin), us(e.end - e.begin), e.end - e.begin);
    comma = ",\n";
  }
  out << "\n]}\n";
}

}  // namespace tilecast::sim
