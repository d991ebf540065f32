#pragma once
// What happened when, for a Chrome trace (chrome://tracing, ui.perfetto.dev): blocks, their warps, and within
// a warp its loops, trips and barrier waits. The simulator fills it; it holds a bounded number of events.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "model/sim/core_parameters.hpp"

namespace tilecast::sim {

struct TimelineEvent {
  enum class Kind : std::uint8_t { block, warp, loop, trip, barrier, skipped };
  Kind kind = Kind::block;
  int block = 0;  // running number on the SM
  int warp = 0;   // of the block
  Cycle begin = 0, end = 0;
  std::int64_t detail = 0;  // trip: number; skipped: trips; loop: number of the loop in `names`
};

struct Timeline {
  std::size_t capacity = 20000;  // events; later ones are counted, not kept
  std::vector<TimelineEvent> events;
  std::vector<std::string> loop_names;
  std::size_t dropped = 0;

  void add(const TimelineEvent& event) {
    if (events.size() < capacity) {
      events.push_back(event);
    } else {
      ++dropped;
    }
  }
};

// The Trace Event Format's JSON object: one process a block, one thread a warp, complete events nested by
// time; microseconds by `clock` (cycles/s).
void write_chrome_trace(std::ostream& out, const Timeline& timeline, double clock);

}  // namespace tilecast::sim
