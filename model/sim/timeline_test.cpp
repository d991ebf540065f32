// The timeline: on every track of the Chrome trace, events lie within each other as what they stand for does.

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "model/sim/timeline.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

namespace {

// An event as a viewer reads it, in the file's smallest step.
struct Shown {
  std::string category, name;
  std::int64_t begin = 0, end = 0;
};

using Track = std::pair<int, int>;  // process (block), thread (0: the block, else the warp + 1)

std::map<Track, std::vector<Shown>> tracks_of(const std::string& trace) {
  std::map<Track, std::vector<Shown>> tracks;
  const auto steps = [](double microseconds) { return std::llround(microseconds * 1e4); };
  const auto json = nlohmann::json::parse(trace);
  for (const auto& e : json["traceEvents"]) {
    const auto begin = steps(e["ts"].get<double>());
    tracks[{e["pid"], e["tid"]}].push_back(
        {e["cat"], e["name"], begin, begin + steps(e["dur"].get<double>())});
  }
  return tracks;
}

// What may lie directly in what; "" is the track.
bool may_lie_in(const std::string& inner, const std::string& outer) {
  static const std::map<std::string, std::vector<std::string>> places{
      {"block", {""}},
      {"warp", {""}},
      {"loop", {"warp", "trip"}},
      {"trip", {"loop"}},
      {"skipped", {"loop"}},
      {"barrier", {"warp", "loop", "trip", "skipped"}}};  // or where a trip's last instruction is one
  return std::ranges::count(places.at(inner), outer) > 0;
}

// Why a trace is no hierarchy; empty: it is one. Of equally long events the one that is written later, when
// it ended, is the outer one.
std::string nesting_problem(const std::string& trace) {
  const auto tracks = tracks_of(trace);
  for (auto [track, events] : tracks) {
    const auto where = [&, number = track.second](const Shown& e) {
      return e.name + " of track " + std::to_string(track.first) + "/" + std::to_string(number);
    };
    std::ranges::reverse(events);
    std::ranges::stable_sort(events, [](const Shown& a, const Shown& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<Shown> open;
    for (const auto& e : events) {
      if (e.begin == e.end) {  // takes no time: on the border of two, it belongs to either
        const auto holds = [&](const Shown& outer) {
          return outer.end >= e.begin && may_lie_in(e.category, outer.category);
        };
        if (std::ranges::none_of(open, holds)) return where(e) + " is in nothing that may hold it";
        continue;
      }
      while (!open.empty() && open.back().end <= e.begin)
        open.pop_back();
      if (!open.empty() && e.end > open.back().end) return where(e) + " ends after " + open.back().name;
      const std::string outer = open.empty() ? "" : open.back().category;
      if (!may_lie_in(e.category, outer)) return where(e) + " lies in '" + outer + "'";
      open.push_back(e);
    }
    const auto& block = tracks.at({track.first, 0});
    if (block.size() != 1) return "not one event of block " + std::to_string(track.first);
    if (events.front().begin < block.front().begin || events.front().end > block.front().end)
      return where(events.front()) + " is not within its block";
    if (track.second > 0 && open.front().category != "warp") return where(open.front()) + " is outermost";
  }
  return {};
}

std::string trace_of(const Timeline& timeline, double clock = 1.755e9) {
  std::ostringstream out;
  write_chrome_trace(out, timeline, clock);
  return out.str();
}

Timeline timeline_of(const InstructionStream& stream, SmWork work, int schedulers = 4) {
  auto p = round_core();
  p.schedulers = schedulers;
  p.cluster_release = 100;
  p.barrier_interval = 10;
  Timeline timeline;
  simulate_sm(stream, p, work, &timeline);
  return timeline;
}

StreamOp plain(Kind kind) {
  StreamOp op;
  op.kind = kind;
  return op;
}

// A tiled loop: load, store, barrier, work from shared memory. `barrier_last`: of a trip, or in its middle.
InstructionStream tiled(std::int64_t trips, int warps, bool barrier_last = true) {
  auto global = memory_op(Kind::global_load, 0);
  global.sectors = 16;
  auto shared = memory_op(Kind::shared_load, 1);
  shared.wavefronts = 4;
  std::vector<StreamOp> ops{global, shared};
  for (int i = 0; i < 40; ++i)
    ops.push_back(i == 0 ? waiting(fma_op(), 2) : fma_op());
  ops.push_back(waiting(memory_op(Kind::shared_store), 1));
  ops.insert(barrier_last ? ops.end() : ops.begin() + 20, plain(Kind::barrier));
  const auto count = static_cast<std::int32_t>(ops.size());
  return uniform_stream(ops, {run_step(0, 2), loop_step(1, trips), run_step(0, count), run_step(2, 10)},
                        warps);
}

std::size_t count(const Timeline& timeline, TimelineEvent::Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(timeline.events, kind, &TimelineEvent::kind));
}

}  // namespace

TEST_CASE("timeline: capped, what is dropped is counted, and valid JSON", "[sim]") {
  Timeline timeline;
  timeline.capacity = 30;
  simulate_sm(tiled(50, 4), round_core(), {}, &timeline);
  CHECK(timeline.events.size() == 30);
  const auto json = nlohmann::json::parse(trace_of(timeline));
  CHECK(json["traceEvents"].size() == 30);
  CHECK(json["otherData"]["events_dropped"] == timeline.dropped);
  CHECK(timeline.dropped > 0);
}

TEST_CASE("timeline: every track is a hierarchy of blocks, warps, loops, trips and barriers", "[sim]") {
  SmWork work;
  work.resident = 2;
  work.blocks = 5;
  work.replacement = 30;
  for (const bool extrapolate : {false, true}) {
    work.extrapolate = extrapolate;
    for (const bool barrier_last : {false, true}) {
      INFO(extrapolate << barrier_last);
      const auto timeline = timeline_of(tiled(200, 4, barrier_last), work);
      CHECK(nesting_problem(trace_of(timeline)) == "");
      CHECK(count(timeline, TimelineEvent::Kind::block) == 5);
      CHECK(count(timeline, TimelineEvent::Kind::warp) == 20);
      CHECK(count(timeline, TimelineEvent::Kind::loop) == 20);
      CHECK(count(timeline, TimelineEvent::Kind::barrier) > 20);
      CHECK((count(timeline, TimelineEvent::Kind::skipped) > 0) == extrapolate);
    }
  }
}

TEST_CASE("timeline: loops in loops, warps that differ, and loops of a single instruction", "[sim]") {
  InstructionStream stream;
  stream.ops = {fma_op(4), plain(Kind::barrier), memory_op(Kind::shared_load, 0)};
  stream.roles.push_back(
      {"inner", {loop_step(4, 6), loop_step(1, 300), run_step(0, 1), run_step(1, 1), run_step(2, 1)}});
  stream.roles.push_back({"outer", {loop_step(1, 6), run_step(0, 2), run_step(2, 1)}});
  stream.role_of_warp = {0, 1, 0};
  for (const bool extrapolate : {false, true}) {
    SmWork work;
    work.blocks = 2;
    work.extrapolate = extrapolate;
    const auto timeline = timeline_of(stream, work, 1);
    CHECK(nesting_problem(trace_of(timeline)) == "");
    CHECK(count(timeline, TimelineEvent::Kind::loop) == 2 * (2 * 7 + 1));
  }
}

TEST_CASE("timeline: work between a cluster's two halves of a barrier", "[sim]") {
  // Of four warps the last arrives late; the first three are in a loop when the barrier opens.
  InstructionStream stream;
  stream.ops = {fma_op(4), plain(Kind::cluster_arrive), plain(Kind::cluster_wait)};
  stream.roles.push_back(
      {"early", {run_step(1, 1), loop_step(1, 20), run_step(0, 1), run_step(2, 1), run_step(0, 1)}});
  stream.roles.push_back({"late", {loop_step(1, 5), run_step(0, 1), run_step(1, 2), run_step(0, 1)}});
  stream.role_of_warp = {0, 0, 0, 1};
  const auto timeline = timeline_of(stream, {});
  CHECK(nesting_problem(trace_of(timeline)) == "");
  CHECK(count(timeline, TimelineEvent::Kind::barrier) == 4);
}

TEST_CASE("timeline: the test of nesting sees what is no hierarchy", "[sim]") {
  using Event = TimelineEvent::Kind;
  const auto problem = [](std::vector<TimelineEvent> events) {
    Timeline timeline;
    timeline.loop_names = {"loop"};
    timeline.events = std::move(events);
    timeline.events.push_back({Event::warp, 0, 0, 0, 100, 0});
    timeline.events.push_back({Event::block, 0, 0, 0, 100, 0});
    return nesting_problem(trace_of(timeline));
  };
  CHECK(problem({{Event::trip, 0, 0, 10, 20, 0},
                 {Event::trip, 0, 0, 20, 30, 1},
                 {Event::loop, 0, 0, 10, 30, 0}}) == "");
  // Trips that overlap, a trip beyond its loop, one in none, a barrier over a trip's end, and a loop
  // beyond its warp: each ends no later than the block.
  CHECK(problem({{Event::trip, 0, 0, 10, 21, 0},
                 {Event::trip, 0, 0, 20, 30, 1},
                 {Event::loop, 0, 0, 10, 30, 0}}) == "trip 1 of track 0/1 ends after trip 0");
  CHECK(problem({{Event::trip, 0, 0, 10, 31, 0}, {Event::loop, 0, 0, 10, 30, 0}}) ==
        "trip 0 of track 0/1 lies in 'warp'");
  CHECK(problem({{Event::trip, 0, 0, 10, 20, 0}}) == "trip 0 of track 0/1 lies in 'warp'");
  CHECK(problem({{Event::trip, 0, 0, 10, 20, 0},
                 {Event::barrier, 0, 0, 15, 25, 0},
                 {Event::loop, 0, 0, 10, 30, 0}}) == "barrier of track 0/1 ends after trip 0");
  CHECK(problem({{Event::loop, 0, 0, 95, 101, 0}}) == "loop of track 0/1 ends after warp 0");
}
