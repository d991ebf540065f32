#pragma once
// The simulator of one SM behind SmSimulator: its state, and its rules in one file per part.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "model/sim/arrivals.hpp"
#include "model/sim/decode.hpp"
#include "model/sim/held_stores.hpp"
#include "model/sim/memory_queue.hpp"
#include "model/sim/memory_system.hpp"
#include "model/sim/open_lines.hpp"
#include "model/sim/operand_ports.hpp"
#include "model/sim/sm_simulator.hpp"
#include "model/sim/sm_state.hpp"
#include "model/sim/steady_state.hpp"

namespace tilecast::sim {

// S8. Trips that each warp had left, the rest of the current one included, at the end of each of the leader's
// last trips; -1: it was in no loop of that depth.
class Progress {
 public:
  void reset() { count_ = 0; }
  void add(const std::vector<Warp>& warps, int depth) {
    marks_.resize(SteadyState::history);
    auto& mark = marks_[static_cast<std::size_t>(count_ % SteadyState::history)];
    mark.resize(warps.size());
    for (std::size_t i = 0; i < warps.size(); ++i)
      mark[i] = warps[i].done || warps[i].depth <= depth ? -1 : warps[i].trips_left(depth);
    ++count_;
  }
  const std::vector<double>& at(int trips_back) const {
    return marks_[static_cast<std::size_t>((count_ - 1 - trips_back) % SteadyState::history)];
  }

 private:
  std::vector<std::vector<double>> marks_;
  int count_ = 0;
};

class Sm {
 public:
  // `code` outlives it and its copies.
  Sm(const SmCode& code, const CoreParameters& p, const SmWork& work, Timeline* timeline);
  // S9. Goes on where `before` is, with another tail.
  Sm(const Sm& before, const SmWork& work) : Sm(before) {
    work_ = work;
    timeline_ = nullptr;
  }
  // Simulates all cycles before `until`; false: its work has ended before.
  bool advance(Cycle until);
  SmResult result();

  // S9. Whether the next block to start is the tail's first, and nothing has depended on the tail yet.
  bool before_tail() const { return !in_tail_ && started_ == work_.blocks - work_.tail_blocks; }

 private:
  Warp& warp(int index) { return warps_[static_cast<std::size_t>(index)]; }
  Scheduler& scheduler(int index) { return schedulers_[static_cast<std::size_t>(index)]; }
  const DecodedOp& op(std::int32_t index) const { return code_.ops[static_cast<std::size_t>(index)]; }
  const IssueOp& issue_op(std::int32_t index) const { return issue_ops_[static_cast<std::size_t>(index)]; }
  Candidate& candidate(const Warp& w) {
    return scheduler(w.scheduler).candidates[static_cast<std::size_t>(w.place)];
  }

  // Blocks, and a warp's way through its trace: sm_blocks.cpp
  double operations_of_a_block() const;
  int place_block();
  void start_block(int slot, Cycle at);
  void lead();
  void end_warp(int index, Cycle now);
  void end_block(int slot, Cycle now);
  void replace_block(int slot, Cycle now);
  void use_tail_share();
  [[noreturn]] void stuck() const;
  void enter_step(int index, Cycle now);
  static void leave_out(Warp& w);
  void end_trip(int index, Cycle now);
  void end_loop(int index, Cycle now);

  // Trips that repeat (S8): sm_skip.cpp
  std::optional<double> trips_made(std::size_t index, int depth, int trips_back) const;
  struct TripRange {
    std::int64_t least = 0, most = 0;
  };
  static std::optional<TripRange> trips_with(const Warp& w, int depth, std::int64_t arrivals, bool ended);
  struct TripContents {
    std::int64_t operations = 0, arrivals = 0;
  };
  static TripContents contents_of(const Warp& w, int depth, std::int64_t trips, bool ended);
  bool share_skip(const Warp& leader, int depth, std::int64_t trips, std::int64_t window);
  bool rests(const Warp& w, int depth, std::int64_t window) const;
  std::int64_t trips_to_skip(int depth, std::int64_t window, std::int64_t step) const;
  void skip_trips(const Warp& leader, Cycle now);
  void reset_steady();

  // Memory and barriers (S4 to S6): sm_memory.cpp
  void enqueue(int index, const DecodedOp& o, Cycle now);
  void let_into_queue(Cycle now);
  void accept_again(int scheduler, Cycle now);
  void grant(Cycle now);
  double dram_share(const DecodedOp& o, double otherwise) const;
  void write_result(const QueueEntry& entry, const DecodedOp& o, Cycle done, Cycle now);
  bool result_waits(Scheduler& s, Cycle now);
  bool waits_for_result(Scheduler& s, const DecodedOp& o, Cycle now);
  static int stop_for_result(Scheduler& s, Cycle now);
  static void release(Warp& w, std::uint8_t board, Cycle at);
  Cycle room_for_store() const;
  Cycle room_for_lines(const DecodedOp& o, Cycle now);
  Cycle ask(const DecodedOp& o, const Warp& w, Cycle now);
  bool pipe_waits(double until, Cycle now);
  void use_banks(const DecodedOp& o, double now);
  Cycle passed_on(Cycle at, const DecodedOp& o);
  void keep_from_reads(double from, double cycles);
  Cycle read_behind(Cycle at, const DecodedOp& o);
  double in_step_from_begin(int block) const;
  double in_step(const Warp& w, Cycle now) const;
  double own_deviation(double time) const;
  double deviation_of_stores() const;
  Cycle finish(Warp& w, const DecodedOp& o, Cycle now);
  static Cycle in_order(Warp& w, Cycle done);
  Cycle local_load(Warp& w, const DecodedOp& o, Cycle now);
  void perform(const QueueEntry& entry, const DecodedOp& o, Cycle now);
  void arrive(Warp& w, const DecodedOp& o, Cycle now);
  void arrive_at_cluster(Warp& w, Cycle now);
  Cycle fence(Cycle now);
  std::size_t kind_of(int block) const;

  // Issue (S1 to S3): sm_issue.cpp
  void occupy(Scheduler& s, const IssueOp& o, Cycle now);
  void step(Scheduler& s, Cycle now);
  int next_warp(Scheduler& s, Cycle now);
  static bool unit_takes(Scheduler& s, Candidate& c, Cycle free, Cycle now);
  static bool waits_longest(const Scheduler& s, const Candidate& c, Cycle now);
  void hold(Scheduler& s, Cycle now, int cycles);
  void account(const Warp& w, Cause blocked, Cycle now);
  void issue(Scheduler& s, int place, Cycle now);
  void go_on(Scheduler& s, Cycle now);
  int hold_at_ports(Scheduler& s, int index, const IssueOp& o, Cycle now);
  void act(Warp& w, const DecodedOp& o, Cycle now);
  void take_issued(Cycle now);
  Cycle fetch(std::int16_t line, Cycle now);
  Cycle line_there(std::int16_t line, Cycle now);
  Cycle constant_there(std::int32_t op, Cycle now);
  void take_scoreboards(Warp& w, const DecodedOp& o, Cycle now);

  // Readiness (S1, S4), on every path
  Cycle group_release(const Warp& w, int allowed) const;
  Cycle cluster_open(const Warp& w) const;
  void refresh(Warp& w, Cycle now);
  Cycle head_ready(int scheduler) const;
  int next_in_pipe(Cycle now) const;
  void find_next_grant();

  const CoreParameters p_;
  SmWork work_;
  const DecodedStream& code_;
  const std::vector<IssueOp>& issue_ops_;
  MemorySystem memory_;
  Timeline* timeline_;
  int warps_per_block_ = 0;
  Cycle longest_run_ = 0;  // see go_on()
  std::vector<Warp> warps_;
  std::vector<BlockSlot> slots_;
  std::vector<Scheduler> schedulers_;
  // S7. Instruction cache, where the code exceeds it
  std::vector<Cycle> line_ready_;  // never: not cached
  std::vector<std::int64_t> line_used_;
  std::int64_t line_uses_ = 0;
  Cycle fetch_free_ = 0;
  std::vector<std::pair<std::int32_t, Cycle>> constants_there_;  // S17: by operation, since when
  // S12. Begins of the last fences, as many as begin at once
  static constexpr std::size_t fences_at_once = 8;
  std::array<Cycle, fences_at_once> fences_{};
  std::size_t fence_count_ = 0;
  // S12. The last global access; begin and end of the last round that makes accesses visible
  Cycle touched_ = -1, fenced_ = -1, visible_ = 0;
  std::int64_t accesses_ = 0;  // global ones since that round
  std::array<SteadyState, max_depth> steady_;
  std::array<Progress, max_depth> progress_;
  std::vector<std::int64_t> own_;  // by warp, trips to skip
  int leader_ = -1;                // the warp whose trips are timed
  int started_ = 0, ended_ = 0, live_blocks_ = 0;
  bool in_tail_ = false;       // see before_tail()
  int next_scheduler_ = 0;     // for the next block's first warp
  Cycle completion_free_ = 0;  // S9
  std::int64_t issued_ = 0;    // instructions not in result_ yet
  // S6. Stores that have passed the pipe: bytes that the SM's own way to L2 has not sent, packets that L2 has
  // not taken yet
  HeldStores unsent_, untaken_;
  // S4. Lines on their way to L1, a heap with the first to arrive in front, and L1's room for them (0: no
  // limit)
  struct Lines {
    Cycle come = 0;
    double lines = 0;
  };
  std::vector<Lines> lines_;
  double lines_under_way_ = 0, lines_room_ = 0;
  OpenLines open_lines_{stand_in::open_sectors};
  Cycle store_room_ = 0;       // when the SM has room for the next store
  bool store_waited_ = false;  // the last store has waited for that
  double packets_sent_ = 0;    // of the last store
  double local_misses_ = 0;    // S16: shares of local loads that miss, until they make a whole one
  MemoryQueue queue_;
  double pipe_free_ = 0;
  Cycle pipe_ready_ = 0;    // the same in whole cycles
  double banks_free_ = 0;   // when L1's banks have served the hits of all loads behind the pipe
  double tags_free_ = 0;    // when L1's tags can take the next copy
  double copies_free_ = 0;  // when the next copy can have its turn
  Arrivals arrivals_, copies_come_;
  double come_from_ = 0, come_free_ = 0;    // begin and end of the banks' work on data from L2
  double reads_from_ = 0, reads_free_ = 0;  // the same of what copies read behind all else
  Cycle next_grant_ = never;
  Cycle barrier_free_ = 0;
  int last_granted_ = 0;
  std::vector<Cycle> begins_;  // of all blocks so far
  Cycle skipped_ = 0;          // cycles of skipped trips: the time is now + skipped_
  SmResult result_;
};

inline Cycle Sm::group_release(const Warp& w, int allowed) const {
  const int needed = w.groups - allowed;  // so many of the oldest groups must be done
  if (needed <= 0) return 0;
  if (needed > w.groups_known) return never;
  return w.group_done[static_cast<std::size_t>((needed - 1) % group_history)];
}

inline Cycle Sm::cluster_open(const Warp& w) const {
  const auto& barrier = slots_[static_cast<std::size_t>(w.slot)].cluster;
  return barrier.complete > w.cluster_waits ? barrier.open[static_cast<std::size_t>(w.cluster_waits % 2)]
                                            : never;
}

inline void Sm::refresh(Warp& w, Cycle now) {
  const auto& o = issue_op(w.op);
  Cycle ready = std::max(w.stall_until, w.fetched);
  for (unsigned mask = o.wait_mask; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(mask));
    ready = std::max(ready, w.open[i] > 0 ? never : w.released[i]);
  }
  if (o.waits) {
    const auto& whole = op(w.op);
    ready = std::max(
        ready, whole.kind == StreamOpKind::wait_groups ? group_release(w, whole.groups) : cluster_open(w));
  }
  if (w.barrier_until > ready && (ready >= w.goes_on || is_memory(o.unit))) ready = w.barrier_until;
  auto& s = scheduler(w.scheduler);
  auto& own = s.candidates[static_cast<std::size_t>(w.place)];
  own.ready = ready;
  own.unit = o.unit;
  if (ready < never) s.next = std::min(s.next, std::max(ready, now));
}

// S5. A barrier waits for the arrivals before it, not for the pipe. S4. An instruction waits for its warp's
// last shared access, a store for room, too; other schedulers' instructions go past meanwhile.
inline Cycle Sm::head_ready(int scheduler) const {
  const auto& head = queue_.head(scheduler);
  if (head.barrier) return std::max(head.ready, barrier_free_);
  const Cycle from = schedulers_[static_cast<std::size_t>(scheduler)].head_from;
  const Cycle ready = std::max({head.ready, pipe_ready_, from});
  if (head.global_store) return std::max(ready, store_room_);
  return head.behind_copy ? std::max(ready, static_cast<Cycle>(std::ceil(copies_free_))) : ready;
}

inline void Sm::find_next_grant() {
  next_grant_ = never;
  for (int index = 0; index < p_.schedulers; ++index) {
    auto& s = scheduler(index);
    s.head_ready = queue_.offers(index) ? head_ready(index) : never;
    next_grant_ = std::min(next_grant_, s.head_ready);
  }
}

}  // namespace tilecast::sim
