#pragma once
// The mutable state of one SM: plain arrays, sized once.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/sim/decode.hpp"
#include "model/sim/operand_ports.hpp"
#include "model/sim/stalls.hpp"

namespace tilecast::sim {

constexpr Cycle never = INT64_MAX / 4;  // no release is known yet
constexpr int group_history = 32;       // pending groups of async copies of a warp, at most

struct LoopLevel {
  std::int32_t begin = 0;             // step of the loop_begin
  std::int32_t group = 0;             // step of the group_begin
  std::int64_t remaining = 0;         // trips, with this one, without those to be skipped
  std::int64_t group_left = 0;        // of the group
  std::int64_t skip = 0;              // trips to be skipped once this one ends
  std::int64_t operations = 0;        // that the warp had issued when this trip began
  Cycle entered = 0, trip_begin = 0;  // with skipped cycles, for the timeline
};

// What every issue reads comes first, in one cache line of the host.
struct alignas(64) Warp {
  Cycle stall_until = 0;    // by the last instruction's stall count
  Cycle barrier_until = 0;  // never: waits for the others at `waits_at`
  Cycle last_issue = -1;
  std::int32_t held = 0;  // cycles since then in which register ports held the scheduler
  std::int32_t op = 0, run_end = 0;
  std::int32_t scheduler = 0, place = 0;  // in the scheduler's lists
  bool done = true;
  std::uint8_t long_boards = 0;                       // bit i: scoreboard i was last taken by a global access
  std::array<std::uint8_t, scoreboard_count> open{};  // instructions with a release not known yet
  Cycle goes_on = 0;                                  // until then a barrier does not hold it (S5)

  std::array<Cycle, scoreboard_count> released{};  // latest known release
  std::int32_t waits_at = 0;
  Cycle fetched = 0;               // when its next instruction is there
  std::int32_t cluster_waits = 0;  // completed waits at the cluster's barrier
  std::int32_t cluster_loads = 0;  // issued
  std::int32_t stores = 0;         // that have passed the memory pipe

  // Where it is
  std::int64_t entered_operations = 0;  // of all runs entered so far
  std::int32_t step = 0;
  std::int32_t depth = 0;
  const std::vector<ProgramStep>* program = nullptr;
  std::int32_t slot = 0, number = 0;  // block slot; warp of the block
  std::int32_t block = -1;            // its running number

  // Async copies
  std::int32_t groups = 0, groups_known = 0;
  Cycle copies_done = 0;
  Cycle last_data = 0;    // return of its last L1 miss (S6)
  Cycle leaves_pipe = 0;  // when its last shared access has left the memory pipe (S4)
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

// What a scheduler's step reads of each of its warps, side by side in memory.
struct Candidate {
  Cycle ready = 0;  // when all its waits end; never: not known yet, or done
  Unit unit = Unit::none;
  Cause blocked = Cause::not_selected;  // what kept it from issuing although it was ready
};

// S4. The last 128-bit result of a shared load, which waits for cycles in which nothing else writes its
// scheduler's registers.
struct WideResult {
  bool waits = false;
  bool slow = false;                 // it comes one register a cycle
  Cycle written = 0;                 // value of Scheduler::free_cycles() at which it is
  Cycle latest = INT64_MAX / 4;      // when it stops the scheduler or, if slow, is written among others
  int hold = 0;                      // for at most so many cycles
  std::int32_t warp = 0, block = 0;  // whose it is
  std::uint8_t board = no_scoreboard;
  Cycle after = 0;  // cycles from being written to the scoreboard's release
};

struct Scheduler {
  std::vector<std::int32_t> warps;    // oldest block first; ended ones are dropped when a block starts
  std::vector<Candidate> candidates;  // of each of them
  int resident = 0;                   // warps that hold registers
  int refused = 0;                    // warps that wait for room in the memory queue
  std::int32_t last = -1;             // place of the warp that issued last; -1: it has left the list
  Cycle next = 0;                     // nothing to do before
  Cycle ahead = 0;                    // cycles before are done, see Sm::go_on()
  Cycle resume = 0;                   // no step before: it is ahead, or held (S3)
  OperandPorts ports;
  // When each unit is free. Unit::memory: 0, or never while the queue is full.
  std::array<Cycle, unit_count> unit_free{};
  Cycle second_fp32_free = 0;  // the pipe without integer multiply-adds
  Cycle head_ready = never;    // when the pipe can take the first in the memory queue; never: there is none
  Cycle head_since = 0;        // since then it is the first
  Cycle head_from = 0;         // until then its warp's last shared access keeps it from the pipe
  Cycle address_free = 0;      // of the unit in front of the SM's pipe
  Cycle last_result = 0;       // when the last shared load's data are there
  WideResult result;
  std::int64_t writes = 0;  // issued instructions of fixed latency that write a register
  Cycle free_from(Unit unit) const { return unit_free[static_cast<std::size_t>(unit)]; }
  Cycle free_cycles(Cycle now) const { return now - writes; }
};

struct NamedBarrier {
  int arrived = 0;
};

// S12. The cluster's other blocks are taken to be as far as this one. A warp arrives again only after it has
// waited, so at most two rounds are under way.
struct ClusterBarrier {
  Cycle counted = 0;            // when all arrivals so far are counted
  int arrived = 0;              // in the current round
  int complete = 0;             // completed rounds
  std::array<Cycle, 2> open{};  // when the last two complete rounds opened
};

struct BlockSlot {
  static constexpr int barriers = 16;
  int block = 0;  // running number
  int live_warps = 0;
  int stores = 0;      // issued, not past the memory pipe yet
  bool ended = false;  // its warps have ended, its stores not all passed
  Cycle start = 0;
  Cycle began = 0;                   // the same without skipped cycles
  Cycle met = 0;                     // when it began, or its cluster's blocks last met
  std::optional<Cycle> asking_from;  // S6: when it first asked L2 for something since its last barrier
  double in_step = 1;                // S6: share of the other SMs that store as it does, at the same time
  std::array<NamedBarrier, barriers> barrier;
  ClusterBarrier cluster;
};

}  // namespace tilecast::sim
