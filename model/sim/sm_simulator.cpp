#include "model/sim/sm_simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/sim/decode.hpp"
#include "model/sim/operand_ports.hpp"
#include "model/sim/sm_state.hpp"
#include "model/sim/steady_state.hpp"
#include "model/support/errors.hpp"

namespace tilecast::sim {
namespace {

using Kind = StreamOpKind;

// The trips that each warp had left when the leader ended its last trips; 0: it was not in a loop of that
// depth.
class Progress {
 public:
  void reset() { count_ = 0; }
  void add(const std::vector<Warp>& warps, int depth) {
    marks_.resize(SteadyState::history);
    auto& mark = marks_[static_cast<std::size_t>(count_ % SteadyState::history)];
    mark.resize(warps.size());
    for (std::size_t i = 0; i < warps.size(); ++i)
      mark[i] = warps[i].done || warps[i].depth <= depth
                    ? 0
                    : warps[i].loops[static_cast<std::size_t>(depth)].remaining;
    ++count_;
  }
  const std::vector<std::int64_t>& at(int trips_back) const {
    return marks_[static_cast<std::size_t>((count_ - 1 - trips_back) % SteadyState::history)];
  }

 private:
  std::vector<std::vector<std::int64_t>> marks_;
  int count_ = 0;
};

class Sm {
 public:
  Sm(const InstructionStream& stream, const CoreParameters& p, const SmWork& work, Timeline* timeline)
      : p_(p), work_(work), code_(decode(stream, p)), memory_(p, work.share, work.seed), timeline_(timeline) {
    warps_per_block_ = static_cast<int>(code_.role_of_warp.size());
    warps_.resize(static_cast<std::size_t>(warps_per_block_ * work.resident));
    made_.resize(warps_.size());
    slots_.resize(static_cast<std::size_t>(work.resident));
    schedulers_.resize(static_cast<std::size_t>(p.schedulers));
    for (auto& s : schedulers_)
      s.warps.reserve(warps_.size());
    result_.block_end.reserve(static_cast<std::size_t>(work.blocks));
    if (timeline_) timeline_->loop_names = code_.loop_names;
  }

  SmResult run() {
    for (int slot = 0; slot < work_.resident && started_ < work_.blocks; ++slot) {
      const auto i = static_cast<std::size_t>(slot);
      start_block(slot, i < work_.start.size() ? work_.start[i] : 0);
    }
    use_tail_share();
    while (live_blocks_ > 0) {
      Cycle now = next_grant();
      for (const auto& s : schedulers_)
        now = std::min(now, s.next);
      if (now >= never) stuck();
      while (next_grant() <= now)
        grant(now);
      for (std::size_t s = 0; s < schedulers_.size(); ++s) {
        if (schedulers_[s].next <= now) step(static_cast<int>(s), now);
      }
    }
    result_.stores_done = std::max(result_.cycles, memory_.stores_done() + skipped_);
    result_.l2_bytes = memory_.l2_bytes();
    result_.dram_bytes = memory_.dram_bytes();
    return std::move(result_);
  }

 private:
  Warp& warp(int index) { return warps_[static_cast<std::size_t>(index)]; }
  Scheduler& scheduler(int index) { return schedulers_[static_cast<std::size_t>(index)]; }
  const DecodedOp& op(std::int32_t index) const { return code_.ops[static_cast<std::size_t>(index)]; }

  // ---- blocks ----

  void start_block(int slot, Cycle at) {
    auto& s = slots_[static_cast<std::size_t>(slot)];
    s = {};
    s.block = started_++;
    s.start = at + skipped_;
    for (int n = 0; n < warps_per_block_; ++n) {
      const int index = slot * warps_per_block_ + n;
      Warp& w = warp(index);
      w = {};
      w.program = &code_.programs[static_cast<std::size_t>(code_.role_of_warp[static_cast<std::size_t>(n)])];
      w.slot = slot;
      w.block = s.block;
      w.number = n;
      w.scheduler = index % p_.schedulers;
      w.done = false;
      w.last_issue = at - 1;
      w.stall_until = at;
      ++s.live_warps;
    }
    ++live_blocks_;
    for (std::size_t i = 0; i < schedulers_.size(); ++i) {
      auto& list = schedulers_[i].warps;
      std::erase_if(list, [&](std::int32_t w) { return warp(w).done || warp(w).slot == slot; });
      for (int n = 0; n < warps_per_block_; ++n) {
        const int index = slot * warps_per_block_ + n;
        if (warp(index).scheduler == static_cast<int>(i)) list.insert(list.begin(), index);
      }
    }
    if (leader_ < 0) lead(slot);
    for (int n = 0; n < warps_per_block_; ++n) {
      const int index = slot * warps_per_block_ + n;
      Warp& w = warp(index);
      enter_step(index, at);
      if (w.done) continue;
      refresh(w, at);
    }
  }

  void lead(int slot) {
    leader_ = slot * warps_per_block_;
    reset_steady();
  }

  void end_warp(int index, Cycle now) {
    Warp& w = warp(index);
    w.done = true;
    auto& slot = slots_[static_cast<std::size_t>(w.slot)];
    if (timeline_) {
      timeline_->add({TimelineEvent::Kind::warp, slot.block, w.number, slot.start, now + skipped_, 0});
    }
    if (--slot.live_warps == 0) end_block(w.slot, now);
  }

  void end_block(int slot, Cycle now) {
    const auto& s = slots_[static_cast<std::size_t>(slot)];
    const Cycle end = now + skipped_;
    result_.block_end.push_back(end);
    result_.cycles = std::max(result_.cycles, end);
    if (timeline_) timeline_->add({TimelineEvent::Kind::block, s.block, 0, s.start, end, 0});
    --live_blocks_;
    ++ended_;
    use_tail_share();
    if (leader_ / warps_per_block_ == slot) leader_ = -1;
    if (started_ < work_.blocks) {
      start_block(slot, now);
    }
    if (leader_ < 0) {
      for (int i = 0; i < work_.resident; ++i) {
        if (slots_[static_cast<std::size_t>(i)].live_warps > 0) return lead(i);
      }
    }
  }

  // S9. Under the tail's share once only blocks of the tail are left.
  void use_tail_share() {
    if (work_.tail_blocks > 0 && ended_ >= work_.blocks - work_.tail_blocks)
      memory_.set_share(work_.tail_share);
  }

  [[noreturn]] void stuck() const {
    for (const auto& w : warps_) {
      if (w.done) continue;
      throw InputError(fmt::format(
          "instruction stream: warp {} of a block waits forever before operation {} (a barrier that too few "
          "warps reach, or a scoreboard that nothing releases)",
          w.number, w.op));
    }
    throw InputError("instruction stream: no warp can go on");
  }

  // ---- the trace of a warp ----

  // Moves on to the next run of operations; the warp ends where there is none.
  void enter_step(int index, Cycle now) {
    Warp& w = warp(index);
    for (;; ++w.step) {
      const auto& s = (*w.program)[static_cast<std::size_t>(w.step)];
      switch (s.kind) {
        case ProgramStep::Kind::run:
          w.op = s.first;
          w.run_end = s.last;
          return;
        case ProgramStep::Kind::loop_begin:
          w.loops[static_cast<std::size_t>(w.depth++)] = {w.step, s.trips, now + skipped_, now + skipped_};
          if (index == leader_) {
            steady_[static_cast<std::size_t>(w.depth - 1)].reset();
            progress_[static_cast<std::size_t>(w.depth - 1)].reset();
          }
          break;
        case ProgramStep::Kind::loop_end:
          end_trip(index, now);
          break;
        case ProgramStep::Kind::end:
          return end_warp(index, now);
      }
    }
  }

  void end_trip(int index, Cycle now) {
    Warp& w = warp(index);
    auto& loop = w.loops[static_cast<std::size_t>(w.depth - 1)];
    --loop.remaining;
    const auto& head = (*w.program)[static_cast<std::size_t>(loop.begin)];
    if (timeline_) {
      const auto& slot = slots_[static_cast<std::size_t>(w.slot)];
      timeline_->add({TimelineEvent::Kind::trip, slot.block, w.number, loop.trip_begin, now + skipped_,
                      head.trips - loop.remaining - 1});
    }
    if (index == leader_ && work_.extrapolate && loop.remaining > 0) skip_trips(w, now);
    loop.trip_begin = now + skipped_;
    if (loop.remaining > 0) {
      w.step = loop.begin;  // the caller goes on behind it
      return;
    }
    if (timeline_) {
      const auto& slot = slots_[static_cast<std::size_t>(w.slot)];
      timeline_->add(
          {TimelineEvent::Kind::loop, slot.block, w.number, loop.entered, now + skipped_, head.name});
    }
    --w.depth;
  }

  // ---- S8: trips that repeat are not stepped through ----

  // Trips that a warp made while the leader made its last `trips_back`. Warps of a block keep step by their
  // barriers, so those of the block's first warp count for all that were within one of it at both ends.
  std::int64_t trips_made(std::size_t index, int depth, int trips_back) const {
    const auto& then = progress_[static_cast<std::size_t>(depth)].at(trips_back);
    const auto made = [&](std::size_t i) {
      return then[i] == 0 ? 0 : then[i] - warps_[i].loops[static_cast<std::size_t>(depth)].remaining;
    };
    const auto first = static_cast<std::size_t>(warps_[index].slot * warps_per_block_);
    const auto own = made(index);
    if (warps_[first].done || warps_[first].depth <= depth || own == 0) return own;
    return std::abs(made(first) - own) <= 1 ? made(first) : own;
  }

  // Rounds like the last `trips_back` trips of the leader that every warp at work can still make in its loop
  // of this depth, each at its own pace, some trips kept; 0 where one is in none.
  std::int64_t possible_rounds(int depth, int trips_back) const {
    constexpr std::int64_t kept = 3;  // trips at the end, stepped through
    std::int64_t rounds = never;
    for (std::size_t i = 0; i < warps_.size(); ++i) {
      const Warp& w = warps_[i];
      if (w.done) continue;
      if (w.depth <= depth) return 0;
      const auto made = trips_made(i, depth, trips_back);
      if (made <= 0) return 0;  // it was elsewhere
      rounds = std::min(rounds, (w.loops[static_cast<std::size_t>(depth)].remaining - kept) / made);
    }
    return rounds == never ? 0 : rounds;
  }

  void skip_trips(const Warp& leader, Cycle now) {
    const int depth = leader.depth - 1;
    auto& steady = steady_[static_cast<std::size_t>(depth)];
    auto& progress = progress_[static_cast<std::size_t>(depth)];
    progress.add(warps_, depth);
    steady.add({now + skipped_, result_.stalls, result_.issued, memory_.l2_bytes(), memory_.dram_bytes(),
                memory_.backlog(now)});
    const auto found = steady.find();
    if (!found) return;
    const auto rounds = possible_rounds(depth, found->trips);
    if (rounds < 1) return;
    const auto times = static_cast<double>(rounds);
    const auto& last = steady.mark(0);
    const auto& before = steady.mark(found->trips);
    result_.stalls.add_difference(last.stalls, before.stalls, times);
    result_.issued += times * (last.issued - before.issued);
    memory_.add_bytes(times * (last.l2_bytes - before.l2_bytes),
                      times * (last.dram_bytes - before.dram_bytes));
    const Cycle cycles = rounds * (last.at - before.at);
    if (timeline_) {
      timeline_->add({TimelineEvent::Kind::skipped, slots_[static_cast<std::size_t>(leader.slot)].block,
                      leader.number, now + skipped_, now + skipped_ + cycles, rounds * found->trips});
    }
    skipped_ += cycles;
    result_.skipped_trips += rounds * found->trips;
    result_.steady_spread = std::max(result_.steady_spread, found->spread);
    // All of a block before any of it changes.
    for (std::size_t i = 0; i < warps_.size(); ++i)
      made_[i] = warps_[i].done ? 0 : trips_made(i, depth, found->trips);
    for (std::size_t i = 0; i < warps_.size(); ++i)
      warps_[i].loops[static_cast<std::size_t>(depth)].remaining -= rounds * made_[i];
    reset_steady();
  }

  void reset_steady() {
    for (std::size_t d = 0; d < steady_.size(); ++d) {
      steady_[d].reset();
      progress_[d].reset();
    }
  }

  // ---- S1: readiness ----

  Cycle group_release(const Warp& w, int allowed) const {
    const int needed = w.groups - allowed;  // so many of the oldest must be done
    if (needed <= 0) return 0;
    if (needed > w.groups_known) return never;
    return w.group_done[static_cast<std::size_t>((needed - 1) % group_history)];
  }

  void refresh(Warp& w, Cycle now) {
    const auto& o = op(w.op);
    Cycle ready = std::max(w.stall_until, w.barrier_until);
    for (int b = 0; b < scoreboard_count; ++b) {
      if ((o.wait_mask >> b & 1) == 0) continue;
      const auto i = static_cast<std::size_t>(b);
      ready = std::max(ready, w.open[i] > 0 ? never : w.released[i]);
    }
    if (o.kind == Kind::wait_groups) ready = std::max(ready, group_release(w, o.groups));
    w.ready_at = ready;
    if (ready < never) {
      auto& s = scheduler(w.scheduler);
      s.next = std::min(s.next, std::max(ready, now));
    }
  }

  // ---- S4: the memory pipeline ----

  // A barrier does not wait for the pipe, but for the arrivals before it (S5).
  Cycle head_ready(const Scheduler& s) const {
    const auto& head = s.head();
    const bool barrier = op(head.op).kind == Kind::barrier;
    return std::max(head.ready, barrier ? barrier_free_ : static_cast<Cycle>(std::ceil(pipe_free_)));
  }

  Cycle next_grant() const {
    Cycle ready = never;
    for (const auto& s : schedulers_) {
      if (s.queue_size > 0) ready = std::min(ready, head_ready(s));
    }
    return ready;
  }

  void enqueue(Scheduler& s, int index, const DecodedOp& o, Cycle now) {
    const auto at = static_cast<std::size_t>((s.queue_head + s.queue_size) % Scheduler::queue_capacity);
    ++s.queue_size;
    const Cycle ready = std::max(now + o.address, s.address_free);
    s.address_free = ready + o.interval;
    s.queue[at] = {index, warp(index).op, warp(index).block, ready};
  }

  // The pipe takes one instruction, the schedulers in turn.
  void grant(Cycle now) {
    for (int n = 1; n <= p_.schedulers; ++n) {
      const int index = (last_granted_ + n) % p_.schedulers;
      auto& s = scheduler(index);
      if (s.queue_size == 0 || head_ready(s) > now) continue;
      const QueueEntry entry = s.head();
      s.queue_head = (s.queue_head + 1) % Scheduler::queue_capacity;
      --s.queue_size;
      s.next = std::min(s.next, now);
      last_granted_ = index;
      if (op(entry.op).kind == Kind::barrier) {
        barrier_free_ = now + p_.barrier_interval;
      } else {
        pipe_free_ = std::max(pipe_free_, static_cast<double>(now)) + op(entry.op).accept;
      }
      perform(entry, op(entry.op), now);
      return;
    }
  }

  double dram_share(const DecodedOp& o, double otherwise) const {
    return o.has_dram_share ? o.dram_share : otherwise;
  }

  void announce(Scheduler& s, Cycle at, std::int16_t hold) {
    if (s.return_size == Scheduler::returns) return;  // more than a scheduler's queue can have under way
    const auto slot = static_cast<std::size_t>((s.return_head + s.return_size++) % Scheduler::returns);
    s.return_at[slot] = at;
    s.return_hold[slot] = hold;
  }

  // S4. Cycles for which wide results that arrive by now keep the scheduler from issuing.
  int arriving(Scheduler& s, Cycle now) {
    int left = 0;
    while (s.return_size > 0 && s.return_at[static_cast<std::size_t>(s.return_head)] <= now) {
      const auto slot = static_cast<std::size_t>(s.return_head);
      left = std::max(left, static_cast<int>(s.return_at[slot] + s.return_hold[slot] - now));
      s.return_head = (s.return_head + 1) % Scheduler::returns;
      --s.return_size;
    }
    return left;
  }

  // The cycle in which the instruction's result is there.
  Cycle finish(Warp& w, const DecodedOp& o, Cycle now) {
    const auto& share = memory_.share();
    const auto transfer = static_cast<Cycle>(std::ceil(o.accept - p_.accept_interval));
    switch (o.kind) {
      case Kind::shared_load: {
        const auto passes = static_cast<Cycle>(std::ceil((o.accept - 1) * p_.pass_latency));
        const Cycle done = now + p_.shared_latency - p_.shared_load_address + passes;
        if (o.return_hold > 0) announce(scheduler(w.scheduler), done, o.return_hold);
        return done;
      }
      case Kind::warp_exchange:
        return now + p_.exchange_latency - p_.shared_load_address;
      case Kind::global_load:
        return memory_.load(now, o.address, {o.sectors, dram_share(o, share.dram_read_share)}) + transfer;
      case Kind::global_store:
        return memory_.store(now, {o.sectors, dram_share(o, share.dram_write_share)});
      case Kind::async_copy: {
        const Cycle done =
            memory_.load(now, o.address, {o.sectors, dram_share(o, share.dram_read_share)}) + transfer;
        w.copies_done = std::max(w.copies_done, done);
        return done;
      }
      case Kind::commit_group: {
        const auto at = static_cast<std::size_t>(w.groups_known % group_history);
        const Cycle before =
            w.groups_known > 0 ? w.group_done[static_cast<std::size_t>((w.groups_known - 1) % group_history)]
                               : 0;
        w.group_done[at] = std::max({before, w.copies_done, now});
        ++w.groups_known;
        return w.group_done[at];
      }
      default:
        return now + transfer + 1;
    }
  }

  void perform(const QueueEntry& entry, const DecodedOp& o, Cycle now) {
    Warp& w = warp(entry.warp);
    const bool gone = w.done || w.block != entry.block;
    if (o.kind == Kind::barrier && !gone) arrive(w, o, now);
    const Cycle done = finish(w, o, now);
    if (gone) return;
    const auto release = [&](std::uint8_t board, Cycle at) {
      if (board == no_scoreboard) return;
      --w.open[board];
      w.released[board] = std::max(w.released[board], at);
    };
    release(o.read_barrier, now);
    release(o.write_barrier, done);
    refresh(w, now);
  }

  // ---- S5: barriers ----

  void arrive(Warp& w, const DecodedOp& o, Cycle now) {
    auto& slot = slots_[static_cast<std::size_t>(w.slot)];
    auto& barrier = slot.barrier[static_cast<std::size_t>(o.barrier_id)];
    if (++barrier.arrived < o.barrier_warps) return;
    barrier.arrived = 0;
    const Cycle at = now + p_.barrier_release;
    for (int n = 0; n < warps_per_block_; ++n) {
      Warp& other = warp(w.slot * warps_per_block_ + n);
      if (other.done || other.barrier_until != never || other.waits_at != o.barrier_id) continue;
      if (timeline_)
        timeline_->add(
            {TimelineEvent::Kind::barrier, slot.block, n, other.last_issue + skipped_, at + skipped_, 0});
      other.barrier_until = at;
      if (&other != &w) refresh(other, now);
    }
  }

  // ---- S1 to S3: issue ----

  // The cycle in which the scheduler's unit can take the instruction.
  Cycle unit_free(const Scheduler& s, const DecodedOp& o) const {
    const auto& free = s.unit_free[static_cast<std::size_t>(o.unit)];
    switch (o.unit) {
      case Unit::none:
        return 0;
      case Unit::fp32:
        return p_.fp32_pipes > 1 ? std::min(free[0], free[1]) : free[0];
      case Unit::fp32_first:
        return s.unit_free[static_cast<std::size_t>(Unit::fp32)][0];
      case Unit::memory:
        return s.queue_size < p_.queue_entries ? 0 : never;
      default:
        return free[0];
    }
  }

  void occupy(Scheduler& s, const DecodedOp& o, Cycle now) {
    auto& free = s.unit_free[static_cast<std::size_t>(o.unit == Unit::fp32_first ? Unit::fp32 : o.unit)];
    // The second pipe first: integer multiply-adds have only the first.
    const std::size_t pipe = o.unit == Unit::fp32 && p_.fp32_pipes > 1 && free[1] <= now ? 1 : 0;
    free[pipe] = now + o.interval;
  }

  void step(int index, Cycle now) {
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

  bool can_issue(Scheduler& s, int index, Cycle now) {
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
  void hold(Scheduler& s, Cycle now, int cycles) {
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

  void account(Warp& w, const DecodedOp& o, Cycle now) {
    auto& stalls = result_.stalls;
    stalls[Cause::issued] += 1;
    Cycle at = w.last_issue + 1;
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
    for (int b = 0; b < scoreboard_count; ++b) {
      if ((o.wait_mask >> b & 1) == 0) continue;
      until(w.released[static_cast<std::size_t>(b)],
            (w.long_boards >> b & 1) != 0 ? Cause::long_scoreboard : Cause::short_scoreboard);
    }
    if (o.kind == Kind::wait_groups) until(group_release(w, o.groups), Cause::long_scoreboard);
    until(now, w.blocked);
    w.blocked = Cause::not_selected;
  }

  void issue(Scheduler& s, int index, Cycle now) {
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
    w.stall_until = now + held + o.stall;
    if (o.unit != Unit::none && o.unit != Unit::memory) occupy(s, o, now + held);
    take_scoreboards(w, o, now);
    if (o.unit == Unit::memory) {
      enqueue(s, index, o, now);
      take_memory_ports(s.ports, now, o.sources[0], o.sources[2], o.registers, o.data_registers, p_);
    }
    if (o.kind == Kind::commit_group) ++w.groups;
    if (o.kind == Kind::barrier && !o.arrive_only) {
      w.barrier_until = never;
      w.waits_at = o.barrier_id;
    }
    if (++w.op == w.run_end) {
      ++w.step;
      enter_step(index, now);
    }
    if (!w.done) refresh(w, now + 1);
  }

  // Results of variable latency that pass no memory pipe are known at once.
  void take_scoreboards(Warp& w, const DecodedOp& o, Cycle now) {
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

  const CoreParameters p_;
  const SmWork& work_;
  const DecodedStream code_;
  MemorySystem memory_;
  Timeline* timeline_;
  int warps_per_block_ = 0;
  std::vector<Warp> warps_;
  std::vector<BlockSlot> slots_;
  std::vector<Scheduler> schedulers_;
  std::array<SteadyState, max_depth> steady_;
  std::array<Progress, max_depth> progress_;
  std::vector<std::int64_t> made_;  // by warp, while trips are skipped
  int leader_ = -1;                 // the warp whose trips are timed
  int started_ = 0, ended_ = 0, live_blocks_ = 0;
  double pipe_free_ = 0;
  Cycle barrier_free_ = 0;
  int last_granted_ = 0;
  Cycle skipped_ = 0;  // cycles of the trips that were not stepped through: time is now + skipped_
  SmResult result_;
};

}  // namespace

SmResult simulate_sm(const InstructionStream& stream, const CoreParameters& parameters, const SmWork& work,
                     Timeline* timeline) {
  return Sm(stream, parameters, work, timeline).run();
}

}  // namespace tilecast::sim
