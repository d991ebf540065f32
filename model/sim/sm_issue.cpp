// S1 to S3. Which warp issues, and the pipes and register ports that it takes; S7, S17: fetch.
#include <algorithm>
#include <bit>
#include <utility>

#include "model/sim/sm.hpp"

namespace tilecast::sim {

using Kind = StreamOpKind;

bool Sm::advance(Cycle until) {
  while ((live_blocks_ > 0 || next_grant_ < never) && ended_ < work_.ends) {  // the last stores too
    Cycle now = next_grant_;
    for (const auto& s : schedulers_)
      now = std::min(now, s.next);
    if (now >= never) stuck();
    if (now >= until) return true;
    while (next_grant_ <= now)
      grant(now);
    unsent_.leave(now);
    untaken_.leave(now);
    for (auto& s : schedulers_) {
      if (s.next <= now) step(s, now);
    }
  }
  return false;
}

SmResult Sm::result() {
  take_issued(never);
  result_.block_instructions = operations_of_a_block();
  result_.stores_done = std::max(result_.cycles, memory_.stores_done() + skipped_);
  result_.l2_bytes = memory_.l2_bytes();
  result_.dram_bytes = memory_.dram_bytes();
  result_.store_cycles = memory_.store_cycles();
  result_.dram_cycles = memory_.dram_cycles();
  result_.dram_write_cycles = memory_.dram_written();
  result_.behind_writes = memory_.behind_writes();
  return std::move(result_);
}

inline void Sm::occupy(Scheduler& s, const IssueOp& o, Cycle now) {
  auto& first = s.unit_free[static_cast<std::size_t>(o.unit == Unit::fp32 ? Unit::fp32_first : o.unit)];
  // Prefers the second pipe, as integer multiply-adds can use the first only.
  const bool second = o.unit == Unit::fp32 && s.second_fp32_free <= now;
  (second ? s.second_fp32_free : first) = now + o.interval;
  s.unit_free[static_cast<std::size_t>(Unit::fp32)] =
      std::min(s.unit_free[static_cast<std::size_t>(Unit::fp32_first)], s.second_fp32_free);
  if (o.beside > 0) {
    auto& integer = s.unit_free[static_cast<std::size_t>(Unit::integer)];
    integer = std::max(integer, now) + o.beside;
  }
}

void Sm::step(Scheduler& s, Cycle now) {
  if (now < s.resume) {
    s.next = s.resume;
    return;
  }
  s.next = never;
  if (s.result.waits && result_waits(s, now)) {
    if (s.result.latest <= now) {
      hold(s, now - 1, stop_for_result(s, now));
      return;
    }
    s.next = std::min(s.result.latest, now + s.result.written - s.free_cycles(now));
  }
  const int place = next_warp(s, now);
  if (place < 0) return;
  issue(s, place, now);
  go_on(s, now);
}

// S1. The place of the warp that issues now: the last one as long as it can; else of the oldest block's warps
// the one that has issued least recently, where code outgrows the cache the last. -1: none can.
inline int Sm::next_warp(Scheduler& s, Cycle now) {
  if (s.last >= 0) {
    auto& last = s.candidates[static_cast<std::size_t>(s.last)];
    if (last.ready > now)
      s.next = std::min(s.next, last.ready);
    else if (unit_takes(s, last, s.free_from(last.unit), now))
      return s.last;
  }
  Cycle next = never;
  int chosen = -1;
  const auto warp_at = [&](int at) -> const Warp& { return warp(s.warps[static_cast<std::size_t>(at)]); };
  const auto count = static_cast<int>(s.candidates.size());
  for (int place = 0; place < count; ++place) {
    auto& candidate = s.candidates[static_cast<std::size_t>(place)];
    if (candidate.ready > now) {
      next = std::min(next, candidate.ready);
      continue;
    }
    if (place == s.last) continue;
    if (chosen >= 0) {
      const Warp &own = warp_at(place), &other = warp_at(chosen);
      if (own.block != other.block) break;
      if (code_.fetches || own.last_issue >= other.last_issue) continue;
    }
    if (unit_takes(s, candidate, s.free_from(candidate.unit), now)) chosen = place;
  }
  if (chosen < 0) s.next = std::min(s.next, next);
  return chosen;
}

// Whether a ready warp's unit, free from `free` on, takes its instruction; notes why not.
inline bool Sm::unit_takes(Scheduler& s, Candidate& c, Cycle free, Cycle now) {
  if (free <= now) return s.refused == 0 || !is_memory(c.unit) || waits_longest(s, c, now);
  if (is_memory(c.unit)) {
    s.refused += c.blocked != Cause::memory_queue ? 1 : 0;
    c.blocked = Cause::memory_queue;
  } else {
    c.blocked = Cause::pipe_busy;
  }
  s.next = std::min(s.next, free);
  return false;
}

// S1. Warps that the full memory queue has refused go first, the one that has been ready for longest before
// the others.
bool Sm::waits_longest(const Scheduler& s, const Candidate& c, Cycle now) {
  const bool refused = c.blocked == Cause::memory_queue;
  return std::ranges::none_of(s.candidates, [&](const Candidate& other) {
    return other.blocked == Cause::memory_queue && other.ready <= now && (!refused || other.ready < c.ready);
  });
}

// S3. Stops the scheduler for `cycles`, stall counts included.
void Sm::hold(Scheduler& s, Cycle now, int cycles) {
  s.next = s.resume = now + 1 + cycles;
  for (std::size_t place = 0; place < s.warps.size(); ++place) {
    Warp& w = warp(s.warps[place]);
    if (w.done || w.last_issue > now || w.barrier_until > now) continue;  // or its block has not begun
    w.held += cycles;
    if (w.stall_until <= now) continue;
    w.stall_until += cycles;
    auto& ready = s.candidates[place].ready;
    if (ready < never) ready = std::max(ready, w.stall_until);
  }
}

// S10. Books the cycles since the warp's last instruction by cause.
void Sm::account(const Warp& w, Cause blocked, Cycle now) {
  auto& stalls = result_.stalls;
  const auto& o = issue_op(w.op);
  Cycle at = w.last_issue + 1;
  const auto until = [&](Cycle end, Cause cause) {
    if (end <= at) return;
    stalls[cause] += static_cast<double>(std::min(end, now) - at);
    at = std::min(end, now);
  };
  const auto held = std::min<Cycle>(w.held, now - at);
  stalls[Cause::operand_ports] += static_cast<double>(held);
  at += held;
  until(w.stall_until, Cause::stall_count);
  until(w.barrier_until, Cause::barrier);
  until(w.fetched, Cause::fetch);
  for (unsigned mask = o.wait_mask; mask != 0; mask &= mask - 1) {
    const auto b = static_cast<std::size_t>(std::countr_zero(mask));
    until(w.released[b], (w.long_boards >> b & 1) != 0 ? Cause::long_scoreboard : Cause::short_scoreboard);
  }
  if (!o.waits) return until(now, blocked);
  if (const auto& whole = op(w.op); whole.kind == Kind::wait_groups) {
    until(group_release(w, whole.groups), Cause::long_scoreboard);
  } else {
    const Cycle open = std::min(cluster_open(w), now);
    if (timeline_ && open > at)  // not from when it arrived: between, a warp may leave loops
      timeline_->add({TimelineEvent::Kind::barrier, w.block, w.number, at + skipped_, open + skipped_, 0});
    until(open, Cause::barrier);
  }
  until(now, blocked);
}

inline void Sm::issue(Scheduler& s, int place, Cycle now) {
  const int index = s.warps[static_cast<std::size_t>(place)];
  Warp& w = warp(index);
  const auto& o = issue_op(w.op);
  auto& blocked = s.candidates[static_cast<std::size_t>(place)].blocked;
  if (w.last_issue + 1 != now) account(w, blocked, now);
  w.held = 0;
  s.refused -= blocked == Cause::memory_queue ? 1 : 0;
  blocked = Cause::not_selected;
  ++issued_;
  s.writes += o.reads_ports ? 1 : 0;
  s.next = now + 1;
  s.last = place;
  const int held = o.reads_ports ? hold_at_ports(s, index, o, now) : 0;
  w.last_issue = now;
  w.stall_until = now + held + o.stall;
  if (o.has_scoreboard) take_scoreboards(w, op(w.op), now);
  if (is_memory(o.unit)) {
    const auto& whole = op(w.op);
    if (whole.kind == Kind::global_store) ++slots_[static_cast<std::size_t>(w.slot)].stores;
    enqueue(index, whole, now);
    if (o.global) {
      touched_ = now;
      ++accesses_;
    }
    take_memory_ports(s.ports, now, whole.sources[0], whole.sources[2], whole.registers, whole.data_registers,
                      p_);
  } else if (o.unit != Unit::none) {
    occupy(s, o, now + held);
  }
  if (o.acts) act(w, op(w.op), now);
  if (++w.op == w.run_end) {
    ++w.step;
    enter_step(index, now);
    if (w.done) return;
  }
  if (code_.fetches && issue_op(w.op).line != o.line) w.fetched = fetch(issue_op(w.op).line, now);
  if (issue_op(w.op).first_constant) w.fetched = std::max(w.fetched, constant_there(w.op, now));
  refresh(w, now + 1);
}

// S1. Issue is greedy: while only the last warp's own chain decides, its next instructions are issued at
// once, ahead of the other schedulers' time. What these and the memory pipe do meanwhile reaches this
// scheduler's warps no sooner than a barrier's release or a shared load's return (longest_run_), while it has
// no memory instruction whose result could stop it.
void Sm::go_on(Scheduler& s, Cycle now) {
  if (longest_run_ == 0 || s.last < 0 || s.next != now + 1 || s.result.waits) return;
  const auto place = static_cast<std::size_t>(s.last);
  const int index = s.warps[place];
  Warp& w = warp(index);
  if (!queue_.empty(w.scheduler)) return;
  auto& own = s.candidates[place];
  const Cycle end = now + longest_run_;
  const IssueOp* ops = issue_ops_.data();
  for (Cycle at = now + 1; at < end; ++at) {
    const auto& o = ops[w.op];
    if (own.ready > at || !o.plain || w.op + 1 == w.run_end || s.free_from(o.unit) > at) return;
    ++issued_;
    s.writes += o.reads_ports ? 1 : 0;
    s.ahead = s.next = at + 1;
    w.held = 0;
    const int held = o.reads_ports ? hold_at_ports(s, index, o, at) : 0;
    w.last_issue = at;
    ++w.op;
    w.stall_until = at + held + o.stall;
    if (o.unit != Unit::none) occupy(s, o, at + held);
    if (const auto& following = ops[w.op]; following.plain && w.barrier_until <= at) {
      // Only the stall count decides.
      own.ready = w.stall_until;
      own.unit = following.unit;
      s.next = std::min(s.next, std::max(own.ready, at + 1));
    } else {
      if (following.first_constant) w.fetched = constant_there(w.op, at);
      refresh(w, at + 1);
    }
    s.resume = s.next;
    if (held > 0) return;
  }
}

inline int Sm::hold_at_ports(Scheduler& s, int index, const IssueOp& o, Cycle now) {
  const int held = hold_for_ports(s.ports, now, index, o.operands);
  if (held > 0) hold(s, now, held);
  return held;
}

// Effects of an instruction beyond its units and scoreboards.
void Sm::act(Warp& w, const DecodedOp& o, Cycle now) {
  if (o.kind == Kind::commit_group) ++w.groups;
  if (o.kind == Kind::barrier && !o.arrive_only) {
    w.barrier_until = never;
    w.goes_on = now + p_.barrier_begin;
    w.waits_at = o.barrier_id;
  }
  if (o.kind == Kind::fence) {  // S12
    w.goes_on = 0;
    w.barrier_until = never;
  }
  if (o.kind == Kind::cluster_arrive) arrive_at_cluster(w, now);
  if (o.kind == Kind::cluster_wait) ++w.cluster_waits;
}

// Adds the instructions issued until `now`, where the leader's scheduler is, to the results. Each issue
// counts in a single integer, as three sums would slow the loop. Schedulers ahead of `now` (go_on) have
// issued one instruction in each further cycle; these stay for later.
void Sm::take_issued(Cycle now) {
  std::int64_t later = 0;
  const int leading = leader_ >= 0 ? warp(leader_).scheduler : 0;
  for (int i = 0; i < p_.schedulers; ++i)
    later += std::max<Cycle>(0, scheduler(i).ahead - now - (i > leading ? 0 : 1));
  const auto issued = static_cast<double>(std::exchange(issued_, later) - later);
  result_.issued += issued;
  result_.simulated += issued;
  result_.stalls[Cause::issued] += issued;
}

// S7. The cycle in which the code line that a warp comes to is cached; also asks for the line behind it.
Cycle Sm::fetch(std::int16_t line, Cycle now) {
  if (line < 0) return 0;
  const Cycle ready = line_there(line, now);
  line_used_[static_cast<std::size_t>(line)] = line_uses_++;
  if (line + 1 < code_.lines) line_there(static_cast<std::int16_t>(line + 1), now);
  return ready;
}

// The cycle in which the line is cached; a miss replaces the least recently used line of the set.
Cycle Sm::line_there(std::int16_t line, Cycle now) {
  auto& ready = line_ready_[static_cast<std::size_t>(line)];
  if (ready < never) return ready;
  int cached = 0;
  std::size_t oldest = 0;
  for (auto i = static_cast<std::size_t>(line % p_.line_sets); i < line_ready_.size();
       i += static_cast<std::size_t>(p_.line_sets)) {
    if (line_ready_[i] == never) continue;
    if (cached == 0 || line_used_[i] < line_used_[oldest]) oldest = i;
    ++cached;
  }
  if (cached == p_.line_ways) line_ready_[oldest] = never;
  line_used_[static_cast<std::size_t>(line)] = line_uses_++;
  fetch_free_ = std::max(fetch_free_, now) + p_.line_fetch;
  return ready = fetch_free_;
}

// S17. The first warp asks for the line; others wait for the same.
Cycle Sm::constant_there(std::int32_t op, Cycle now) {
  for (const auto& [known, ready] : constants_there_)
    if (known == op) return ready;
  const bool few = static_cast<int>(warps_.size()) < p_.schedulers;
  const Cycle ready = now + 1 + (few ? p_.constant_line_few : p_.constant_line);
  constants_there_.emplace_back(op, ready);
  return ready;
}

// Instructions of variable latency outside the memory pipe have known release times.
void Sm::take_scoreboards(Warp& w, const DecodedOp& o, Cycle now) {
  for (const auto board : {o.write_barrier, o.read_barrier}) {
    if (board == no_scoreboard) continue;
    if (is_memory(o.unit)) {
      ++w.open[board];
      const auto bit = static_cast<std::uint8_t>(1U << board);
      w.long_boards = static_cast<std::uint8_t>(o.is_long ? w.long_boards | bit : w.long_boards & ~bit);
    } else {
      w.released[board] = std::max(w.released[board], now + o.latency);
      w.long_boards = static_cast<std::uint8_t>(w.long_boards & ~(1U << board));
    }
  }
}

}  // namespace tilecast::sim
