#pragma once
// The mutable state of one SM: plain arrays, sized once.

#include <array>
#include <cstdint>
#include <vector>

#include "model/sim/decode.hpp"
#include "model/sim/operand_ports.hpp"
#include "model/sim/stalls.hpp"

namespace tilecast::sim {

constexpr Cycle never = INT64_MAX / 4;  // nothing known yet releases it
constexpr int group_history = 32;       // pending groups of async copies that a warp may have

struct LoopLevel {
  std::int32_t begin = 0;             // step of the loop_begin
  std::int32_t group = 0;             // step of the group_begin
  std::int64_t remaining = 0;         // trips, this one included, those to be skipped not
  std::int64_t group_left = 0;        // of the group
  std::int64_t skip = 0;              // trips to be skipped when this one ends
  std::int64_t operations = 0;        // that the warp had issued when this one began
  Cycle entered = 0, trip_begin = 0;  // for the timeline, and skipped cycles included
};

// What every issue looks at comes first: one cache line.
struct alignas(64) Warp {
  Cycle stall_until = 0;    // the last instruction's stall count
  Cycle barrier_until = 0;  // never: waiting for the others at `waits_at`
  Cycle last_issue = -1;
  std::int32_t held = 0;  // cycles since then in which the scheduler stood still for register ports
  std::int32_t op = 0, run_end = 0;
  std::int32_t scheduler = 0, place = 0;  // in the scheduler's lists
  bool done = true;
  std::uint8_t long_boards = 0;                       // bit i: scoreboard i was last taken by a global access
  std::array<std::uint8_t, scoreboard_count> open{};  // instructions whose release is not known yet
  Cycle goes_on = 0;  // a barrier does not hold what can be issued before (S5)

  std::array<Cycle, scoreboard_count> released{};  // the latest release that is known
  std::int32_t waits_at = 0;
  Cycle fetched = 0;               // its next instruction is there
  Cycle stored = 0;                // L2 has all that it stored
  std::int32_t cluster_waits = 0;  // rounds of the cluster's barrier that it has waited for
  std::int32_t cluster_loads = 0;  // that it has issued
  std::int32_t stores = 0;         // that have passed the pipe

  // Where it is
  std::int64_t entered_operations = 0;  // of all runs that it has come to
  std::int32_t step = 0;
  std::int32_t depth = 0;
  const std::vector<ProgramStep>* program = nullptr;
  std::int32_t slot = 0, number = 0;  // block slot; warp of the block
  std::int32_t block = -1;            // its running number

  // Async copies
  std::int32_t groups = 0, groups_known = 0;
  Cycle copies_done = 0;
  Cycle last_data = 0;  // of all that it asked beyond L1 for (S6)
  std::array<Cycle, group_history> group_done{};

  std::array<LoopLevel, max_depth> loops;

  std::int64_t operations() const { return entered_operations - (run_end - op); }  // issued
  double trips_left(int at_depth) const {
    const auto& loop = loops[static_cast<std::size_t>(at_depth)];
    const auto& group = (*program)[static_cast<std::size_t>(loop.group)];
    return static_cast<double>(loop.remaining) -
           static_cast<double>(operations() - loop.operations) / static_cast<double>(group.operations);
  }
};

struct QueueEntry {
  std::int32_t warp = 0, op = 0;
  std::int32_t block = 0;  // of the warp: it may have ended, and another taken its place
  Cycle ready = 0;
};

// What a step of the scheduler looks at of each of its warps: side by side.
struct Candidate {
  Cycle ready = 0;  // max of all that it waits for; never: not known yet, or it is done
  Unit unit = Unit::none;
  Cause blocked = Cause::not_selected;  // what kept it from issuing although it was ready
};

struct Scheduler {
  static constexpr int queue_capacity = 16;
  std::vector<std::int32_t> warps;    // oldest first; those that are done are dropped when a block starts
  std::vector<Candidate> candidates;  // of each of them
  int resident = 0;                   // warps whose registers it has
  int refused = 0;                    // warps that wait for the full queue of memory instructions
  std::int32_t last = -1;             // place of the warp that issued last: greedy; -1: it has left the list
  Cycle next = 0;                     // nothing to do before
  Cycle ahead = 0;                    // its cycles before have been stepped through, see Sm::go_on()
  Cycle resume = 0;                   // nothing at all goes on before: it is ahead, or stands still (S3)
  OperandPorts ports;
  // When each unit can take an instruction. Unit::memory: 0 or never.
  std::array<Cycle, unit_count> unit_free{};
  Cycle second_fp32_free = 0;  // the pipe that multiplies no integers
  std::array<QueueEntry, queue_capacity> queue;
  int queue_head = 0, queue_size = 0;
  Cycle address_free = 0;  // of the unit in front of the SM's pipe
  // Wide results on their way and those that wait for the write ports (S4); a ring. The first `return_seen`
  // of them have arrived.
  static constexpr int returns = 64;
  struct WideReturn {
    Cycle at = 0;
    Cycle free = 0;  // of `free_cycles`: when it has had its own
    std::int16_t hold = 0;
  };
  std::array<WideReturn, returns> wide_return;
  int return_head = 0, return_size = 0, return_seen = 0;
  Cycle next_return = INT64_MAX / 4;  // the next arrival, or the end of a wait
  Cycle promised = 0;                 // the last free cycle that a result will have
  std::int64_t writes = 0;            // instructions that write a register after a fixed time
  Cycle free_from(Unit unit) const { return unit_free[static_cast<std::size_t>(unit)]; }
  Cycle free_cycles(Cycle now) const { return now - writes; }

  const QueueEntry& head() const { return queue[static_cast<std::size_t>(queue_head)]; }
};

struct NamedBarrier {
  int arrived = 0;
};

// The other blocks of the cluster are taken to be as far as this one. A warp arrives again only after it has
// waited, so that two rounds at most are under way.
struct ClusterBarrier {
  Cycle counted = 0;            // until when arrivals are being counted
  int arrived = 0;              // in the round that is not complete
  int complete = 0;             // rounds
  std::array<Cycle, 2> open{};  // when the last two complete rounds opened
};

struct BlockSlot {
  static constexpr int barriers = 16;
  int block = 0;  // running number
  int live_warps = 0;
  int stores = 0;      // issued, that have not passed the pipe
  bool ended = false;  // its warps have, its stores have not all passed
  Cycle start = 0;
  Cycle began = 0;  // the same, skipped cycles left out
  std::array<NamedBarrier, barriers> barrier;
  ClusterBarrier cluster;
};

}  // namespace tilecast::sim
