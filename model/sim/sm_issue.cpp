// S1 to S3. Which warp issues, and what it takes.
#include <algorithm>
#include <bit>

#include "model/sim/sm.hpp"

namespace tilecast::sim {

using Kind = StreamOpKind;

SmResult Sm::run() {
  for (int slot = 0; slot < work_.resident && started_ < work_.blocks; ++slot) {
    const auto i = static_cast<std::size_t>(slot);
    start_block(slot, i < work_.start.size() ? work_.start[i] : 0);
  }
  use_tail_share();
  while (live_blocks_ > 0 || next_grant_ < never) {  // the last stores too
    Cycle now = next_grant_;
    for (const auto& s : schedulers_)
      now = std::min(now, s.next);
    if (now >= never) stuck();
    while (next_grant_ <= now)
      grant(now);
    for (; !stores_taken_.empty() && stores_taken_.front() <= now; --stores_held_)
      stores_taken_.pop_front();
    for (std::size_t s = 0; s < schedulers_.size(); ++s) {
      if (schedulers_[s].next <= now) step(static_cast<int>(s), now);
    }
  }
  result_.stores_done = std::max(result_.cycles, memory_.stores_done() + skipped_);
  result_.l2_bytes = memory_.l2_bytes();
  result_.dram_bytes = memory_.dram_bytes();
  result_.store_cycles = memory_.store_cycles();
  result_.dram_cycles = memory_.dram_cycles();
  return std::move(result_);
}

// The cycle in which the scheduler's unit can take the instruction.
Cycle Sm::unit_free(const Scheduler& s, const DecodedOp& o) const {
  const auto& free = s.unit_free[static_cast<std::size_t>(o.unit)];
  switch (o.unit) {
    case Unit::none:
      return 0;
    case Unit::fp32:
      return p_.fp32_pipes > 1 ? std::min(free[0], free[1]) : free[0];
    case Unit::fp32_first:
      return s.unit_free[static_cast<std::size_t>(Unit::fp32)][0];
    case Unit::memory:
      if (s.queue_size >= p_.queue_entries) return never;
      return o.kind == Kind::global_store ? room_for_store() : 0;
    default:
      return free[0];
  }
}

// S6. When the SM can hold another store.
Cycle Sm::room_for_store() const {
  if (stores_held_ < p_.stores_held) return 0;
  const auto leaving = static_cast<std::size_t>(stores_held_ - p_.stores_held);  // with those before it
  return leaving < stores_taken_.size() ? stores_taken_[leaving] : never;
}

void Sm::occupy(Scheduler& s, const DecodedOp& o, Cycle now) {
  auto& free = s.unit_free[static_cast<std::size_t>(o.unit == Unit::fp32_first ? Unit::fp32 : o.unit)];
  // The second pipe first: integer multiply-adds have only the first.
  const std::size_t pipe = o.unit == Unit::fp32 && p_.fp32_pipes > 1 && free[1] <= now ? 1 : 0;
  free[pipe] = now + o.interval;
}

void Sm::step(int index, Cycle now) {
  auto& s = scheduler(index);
  s.next = never;
  if (const int held = arriving(s, now); held > 0) {
    hold(s, now - 1, held);
    return;
  }
  int chosen = -1;
  if (s.last >= 0 && can_issue(s, s.last, now)) {
    chosen = s.last;
  } else {
    for (const auto candidate : s.warps) {
      if (candidate != s.last && can_issue(s, candidate, now)) {
        chosen = candidate;
        break;
      }
    }
  }
  if (chosen < 0) return;
  s.next = now + 1;
  issue(s, chosen, now);
}

bool Sm::can_issue(Scheduler& s, int index, Cycle now) {
  Warp& w = warp(index);
  if (w.done) return false;
  if (w.ready_at > now) {
    s.next = std::min(s.next, w.ready_at);
    return false;
  }
  const Cycle free = unit_free(s, op(w.op));
  if (free <= now) return true;
  w.blocked = op(w.op).unit == Unit::memory ? Cause::memory_queue : Cause::pipe_busy;
  s.next = std::min(s.next, free);
  return false;
}

// S3. The scheduler stands still for `cycles`: stall counts too.
void Sm::hold(Scheduler& s, Cycle now, int cycles) {
  s.next = now + 1 + cycles;
  for (const auto index : s.warps) {
    Warp& w = warp(index);
    if (w.done || w.barrier_until > now) continue;
    w.held += cycles;
    if (w.stall_until <= now) continue;
    w.stall_until += cycles;
    if (w.ready_at < never) w.ready_at = std::max(w.ready_at, w.stall_until);
  }
}

void Sm::account(Warp& w, const DecodedOp& o, Cycle now) {
  auto& stalls = result_.stalls;
  stalls[Cause::issued] += 1;
  Cycle at = w.last_issue + 1;
  if (at == now) {
    w.held = 0;
    w.blocked = Cause::not_selected;
    return;
  }
  const auto until = [&](Cycle end, Cause cause) {
    if (end <= at) return;
    stalls[cause] += static_cast<double>(std::min(end, now) - at);
    at = std::min(end, now);
  };
  const auto held = std::min<Cycle>(w.held, now - at);
  stalls[Cause::operand_ports] += static_cast<double>(held);
  at += held;
  w.held = 0;
  until(w.stall_until, Cause::stall_count);
  until(w.barrier_until, Cause::barrier);
  until(w.fetched, Cause::fetch);
  for (unsigned mask = o.wait_mask; mask != 0; mask &= mask - 1) {
    const auto b = static_cast<std::size_t>(std::countr_zero(mask));
    until(w.released[b], (w.long_boards >> b & 1) != 0 ? Cause::long_scoreboard : Cause::short_scoreboard);
  }
  if (o.kind == Kind::wait_groups) until(group_release(w, o.groups), Cause::long_scoreboard);
  if (o.kind == Kind::cluster_wait) until(cluster_open(w), Cause::barrier);
  until(now, w.blocked);
  w.blocked = Cause::not_selected;
}

void Sm::issue(Scheduler& s, int index, Cycle now) {
  Warp& w = warp(index);
  const auto& o = op(w.op);
  account(w, o, now);
  result_.issued += 1;
  result_.simulated += 1;
  s.last = index;
  int held = 0;
  if (o.reads_ports) {
    held =
        hold_for_ports(s.ports, now, operand_reads(s.ports, index, o.sources, o.reuse, p_.banks), p_.banks);
    if (held > 0) hold(s, now, held);
  }
  w.last_issue = now;
  ++w.issued;
  w.stall_until = now + held + o.stall;
  if (o.unit != Unit::none && o.unit != Unit::memory) occupy(s, o, now + held);
  take_scoreboards(w, o, now);
  if (o.unit == Unit::memory) {
    if (o.kind == Kind::global_store) ++stores_held_;
    enqueue(s, index, o, now);
    if (o.sectors > 0) touched_ = now;
    take_memory_ports(s.ports, now, o.sources[0], o.sources[2], o.registers, o.data_registers, p_);
  }
  if (o.kind == Kind::commit_group) ++w.groups;
  if (o.kind == Kind::barrier && !o.arrive_only) {
    w.barrier_until = never;
    w.waits_at = o.barrier_id;
  }
  if (o.kind == Kind::fence) {  // S12
    fence_free_ = std::max(fence_free_, now) + p_.fence_interval;
    w.barrier_until = std::max(fence_free_, w.stored) + p_.fence + (touched_ > fenced_ ? p_.fence_behind : 0);
    fenced_ = now;
  }
  if (o.kind == Kind::cluster_arrive) arrive_at_cluster(w, now);
  if (o.kind == Kind::cluster_wait) ++w.cluster_waits;
  if (++w.op == w.run_end) {
    ++w.step;
    enter_step(index, now);
  }
  if (w.done) return;
  if (code_.fetches && op(w.op).line != o.line) w.fetched = fetch(op(w.op).line, now);
  refresh(w, now + 1);
}

// S7. When a line of code is there; asks for it where it is not cached, in place of the one that was used
// least recently.
Cycle Sm::fetch(std::int16_t line, Cycle now) {
  if (line < 0) return 0;
  auto& ready = line_ready_[static_cast<std::size_t>(line)];
  line_used_[static_cast<std::size_t>(line)] = line_uses_++;
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
  fetch_free_ = std::max(fetch_free_, now) + p_.line_fetch;
  return ready = fetch_free_;
}

// Results of variable latency that pass no memory pipe are known at once.
void Sm::take_scoreboards(Warp& w, const DecodedOp& o, Cycle now) {
  for (const auto board : {o.write_barrier, o.read_barrier}) {
    if (board == no_scoreboard) continue;
    if (o.unit == Unit::memory) {
      ++w.open[board];
      const auto bit = static_cast<std::uint8_t>(1U << board);
      w.long_boards = static_cast<std::uint8_t>(o.is_long ? w.long_boards | bit : w.long_boards & ~bit);
    } else {
      w.released[board] = std::max(w.released[board], now + o.latency);
      w.long_boards = static_cast<std::uint8_t>(w.long_boards & ~(1U << board));
    }
  }
}

SmResult simulate_sm(const InstructionStream& stream, const CoreParameters& parameters, const SmWork& work,
                     Timeline* timeline) {
  return Sm(stream, parameters, work, timeline).run();
}

}  // namespace tilecast::sim
