// S4 to S6. The memory pipeline and barriers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "model/analytic/waves.hpp"
#include "model/sim/sm.hpp"

namespace tilecast::sim {

using Kind = StreamOpKind;

// S4, S5. A warp's instruction goes to its scheduler's queue. Of a copy that waits outside the SM's the
// sources are read as it enters; a barrier waits for no registers that others before it have still to read.
void Sm::enqueue(int index, const DecodedOp& o, Cycle now) {
  Warp& w = warp(index);
  auto& s = scheduler(w.scheduler);
  const bool barrier = o.kind == Kind::barrier, copy = o.kind == Kind::async_copy;
  const Cycle ready = std::max(now + o.address, barrier ? 0 : s.address_free);
  s.address_free = std::max(s.address_free, ready + o.interval);
  const bool offered = queue_.offers(w.scheduler);
  const bool entered = queue_.add(w.scheduler, {.warp = index,
                                                .op = w.op,
                                                .block = w.block,
                                                .barrier = barrier,
                                                .copy = copy,
                                                .shared_store = o.kind == Kind::shared_store,
                                                .global_store = o.kind == Kind::global_store,
                                                .behind_copy = o.behind_copy > 0,
                                                .read_barrier = o.read_barrier,
                                                .ready = ready});
  if (entered || !copy) release(w, o.read_barrier, ready);
  if (queue_.full(w.scheduler)) s.unit_free[static_cast<std::size_t>(Unit::memory)] = never;
  if (!entered) return;
  if (!offered) {
    s.head_from = w.leaves_pipe;
    s.head_ready = head_ready(w.scheduler);
    next_grant_ = std::min(next_grant_, s.head_ready);
  } else if (barrier) {  // it may be the first now
    find_next_grant();
  }
}

// S4. The pipe has taken one, and others enter the SM's queue.
void Sm::let_into_queue(Cycle now) {
  queue_.let_in([&](int index, QueueEntry& entry) {
    Warp& w = warp(entry.warp);
    entry.ready = std::max(entry.ready, now + 1);
    if (&entry == &queue_.head(index)) scheduler(index).head_from = w.leaves_pipe;
    if (entry.copy && !w.done && w.block == entry.block) {
      release(w, entry.read_barrier, entry.ready);
      refresh(w, now);
    }
    accept_again(index, now);
  });
}

// A scheduler whose memory queue was full issues memory instructions again if it is so no longer.
void Sm::accept_again(int index, Cycle now) {
  auto& s = scheduler(index);
  auto& accepts = s.unit_free[static_cast<std::size_t>(Unit::memory)];
  if (accepts != never || queue_.full(index)) return;
  accepts = 0;
  s.next = std::min(s.next, now);
}

namespace {

MemoryRequest read_of(const DecodedOp& o, double dram_share) {
  MemoryRequest request{o.sectors, dram_share};
  request.lines = o.lines;
  request.line_cycles = o.line_cycles;
  request.tensor = o.tensor;
  return request;
}

}  // namespace

// S6. The cycle from which on the SM has room for another store.
Cycle Sm::room_for_store() const {
  return std::max(unsent_.room(p_.store_bytes_unsent), untaken_.room(p_.store_packets_held));
}

// S4. The cycle from which on L1 has room for the lines of a load or copy; lines under way keep their places
// until they arrive.
Cycle Sm::room_for_lines(const DecodedOp& o, Cycle now) {
  if (lines_room_ <= 0 || o.new_lines <= 0) return 0;
  while (!lines_.empty() && lines_.front().come <= now) {
    lines_under_way_ -= lines_.front().lines;
    std::ranges::pop_heap(lines_, std::greater{}, &Lines::come);
    lines_.pop_back();
  }
  if (lines_.empty()) lines_under_way_ = 0;
  return lines_.empty() || lines_under_way_ + o.new_lines <= lines_room_ ? 0 : lines_.front().come;
}

// A request to L2, through L1 or past it; returns the cycle in which its data arrive.
Cycle Sm::ask(const DecodedOp& o, const Warp& w, Cycle now) {
  const bool shared = memory_.share().shared && o.tensor;
  auto request = read_of(o, dram_share(o, memory_.share().dram_read_share));
  if (shared && warps_per_block_ > p_.schedulers) {
    auto& from = slots_[static_cast<std::size_t>(w.slot)].asking_from;
    if (!from) from = now;
    request.asking_for = static_cast<double>(now - *from);
  }
  const Cycle come = memory_.load(now, o.address, request);
  if (lines_room_ <= 0 || o.new_lines <= 0) return come;
  lines_under_way_ += o.new_lines;
  // A line's place is free when its own data have come; of shared reads, when the warp's before have, too.
  const Cycle before = shared ? w.last_data : 0;
  const auto parts = static_cast<int>(std::ceil(o.new_lines));
  for (int n = 1; n <= parts; ++n) {
    lines_.push_back(
        {std::max(before, memory_.lines_come(static_cast<double>(n) / parts)), o.new_lines / parts});
    std::ranges::push_heap(lines_, std::greater{}, &Lines::come);
  }
  return come;
}

// S4. Shared accesses go first at L1's banks: they delay hits of loads and data that have come from L2.
void Sm::use_banks(const DecodedOp& o, double now) {
  if (o.kind == Kind::global_load || o.kind == Kind::async_copy) {
    if (!o.comes && o.later > 0) banks_free_ = std::max(banks_free_, now) + o.later;
    return;
  }
  if (banks_free_ > now) banks_free_ += o.accept;
  if (come_from_ <= now && come_free_ > now) come_free_ += o.accept;
}

// S4. The cycle in which the banks have passed on data that arrive at `at`.
Cycle Sm::passed_on(Cycle at, const DecodedOp& o) {
  if (o.later <= 0) return at;
  const auto from = static_cast<double>(at);
  if (from > come_free_) come_from_ = from;
  come_free_ = std::max(come_free_, from) + o.later;
  return static_cast<Cycle>(std::ceil(come_free_ - std::min(1.0, o.later)));
}

// S4. Reads that go behind leave cycles from `from` on to all else.
void Sm::keep_from_reads(double from, double cycles) {
  if (reads_from_ <= from && reads_free_ > from) reads_free_ += cycles;
}

// S4. The cycle in which L1 has been read for a copy whose data are there at `at`, copy after copy.
Cycle Sm::read_behind(Cycle at, const DecodedOp& o) {
  if (o.reads_later <= 0) return at;
  const auto from = static_cast<double>(at);
  if (from > reads_free_) reads_from_ = from;
  reads_free_ = std::max(reads_free_, from) + o.reads_later;
  return static_cast<Cycle>(std::ceil(reads_free_));
}

// Stops the pipe until `until`; false where that has passed.
bool Sm::pipe_waits(double until, Cycle now) {
  if (until <= static_cast<double>(now)) return false;
  pipe_free_ = until;
  pipe_ready_ = static_cast<Cycle>(std::ceil(until));
  find_next_grant();
  return true;
}

// S4. The scheduler whose first in the SM's queue has been ready for longest, of equal ones the next in turn;
// -1: none.
int Sm::next_in_pipe(Cycle now) const {
  int chosen = -1;
  Cycle since = never;
  for (int n = 1; n <= p_.schedulers; ++n) {
    int index = last_granted_ + n;
    if (index >= p_.schedulers) index -= p_.schedulers;
    if (schedulers_[static_cast<std::size_t>(index)].head_ready > now) continue;
    const Cycle own = queue_.head(index).ready;
    if (own < since) since = own, chosen = index;
  }
  return chosen;
}

// S4. The pipe takes one instruction. A load or copy without room keeps all behind it waiting.
void Sm::grant(Cycle now) {
  if (const double free = arrivals_.take(now, pipe_free_); free > pipe_free_) {
    pipe_free_ = free;
    pipe_ready_ = static_cast<Cycle>(std::ceil(free));
    find_next_grant();
    if (next_grant_ > now) return;
  }
  if (const double free = copies_come_.take(now, copies_free_); free > copies_free_) {
    copies_free_ = free;  // a copy that waits lets others past
    find_next_grant();
  }
  const int index = next_in_pipe(now);
  if (index < 0) return;
  auto& s = scheduler(index);
  const QueueEntry entry = queue_.head(index);
  const auto& o = op(entry.op);
  const bool store = o.kind == Kind::global_store;
  if (store) store_waited_ = store_room_ > std::max(entry.ready, s.head_since);
  if (o.later_most > 0 && pipe_waits(banks_free_ - o.later_most, now)) return;
  if (o.tags > 0 && pipe_waits(tags_free_, now)) return;
  if (pipe_waits(static_cast<double>(room_for_lines(o, now)), now)) return;
  if (waits_for_result(s, o, now)) return;
  queue_.take(index);
  accept_again(index, now);
  s.head_since = now;
  last_granted_ = index;
  if (o.kind == Kind::barrier) {
    barrier_free_ = now + p_.barrier_interval;
  } else {
    // One that has waited begins right where the one before it ended, even within a cycle.
    double begin = o.behind_copy > 0 ? std::max(pipe_free_, copies_free_) : pipe_free_;
    if (store) begin = std::max(begin, static_cast<double>(store_room_));
    begin = std::max(begin, static_cast<double>(warp(entry.warp).leaves_pipe));
    pipe_free_ = std::max(begin, static_cast<double>(entry.ready)) + o.accept;
    keep_from_reads(static_cast<double>(now), o.accept + (o.past_l1 ? 0 : o.behind_copy));
    if (o.behind_copy > 0) copies_free_ = pipe_free_ + o.behind_copy;
    if (o.kind == Kind::shared_load || o.kind == Kind::shared_store) {
      // A warp gets every second cycle at most, other warps the cycles between.
      warp(entry.warp).leaves_pipe = static_cast<Cycle>(std::ceil(pipe_free_ + o.accept));
    }
    if (o.tags > 0) tags_free_ = std::max(tags_free_, static_cast<double>(now)) + o.tags;
    use_banks(o, static_cast<double>(now));
    pipe_ready_ = static_cast<Cycle>(std::ceil(pipe_free_));
  }
  let_into_queue(now);
  if (queue_.offers(index)) s.head_from = warp(queue_.head(index).warp).leaves_pipe;
  perform(entry, o, now);
  if (store) {
    unsent_.add(memory_.stores_sent(), o.stored_bytes);
    untaken_.add(memory_.stores_taken(), packets_sent_);
    store_room_ = room_for_store();
    const int at = warp(entry.warp).slot;
    auto& slot = slots_[static_cast<std::size_t>(at)];
    if (--slot.stores == 0 && slot.ended) replace_block(at, now);
  }
  find_next_grant();
}

double Sm::dram_share(const DecodedOp& o, double otherwise) const {
  return o.has_dram_share ? o.dram_share : otherwise;
}

void Sm::release(Warp& w, std::uint8_t board, Cycle at) {
  if (board == no_scoreboard) return;
  --w.open[board];
  w.released[board] = std::max(w.released[board], at);
}

// S4. A 128-bit result waits until its scheduler's registers can be written. `done`: when its data are there
// if nothing else writes registers.
void Sm::write_result(const QueueEntry& entry, const DecodedOp& o, Cycle done, Cycle now) {
  constexpr Cycle own_slot = 1;  // the load's own issue slot
  const Cycle least = o.return_hold + own_slot;
  auto& s = scheduler(warp(entry.warp).scheduler);
  s.result = {.waits = true,
              .slow = o.slow_return,
              .written = s.free_cycles(now) + least,
              .latest = now + (o.slow_return ? p_.slow_return_wait : p_.wide_return_wait),
              .hold = o.return_hold,
              .warp = entry.warp,
              .block = entry.block,
              .board = o.write_barrier,
              .after = done - now - least};
  s.next = std::min(s.next, std::max(s.resume, now + least));
}

// Whether the scheduler's last result, which has waited, still does; else it releases its scoreboard.
bool Sm::result_waits(Scheduler& s, Cycle now) {
  auto& result = s.result;
  if (result.slow && result.latest <= now) result.written = std::min(result.written, s.free_cycles(now));
  const Cycle more = result.written - s.free_cycles(now);
  if (more > 0) return true;
  result.waits = false;
  Warp& w = warp(result.warp);
  if (w.done || w.block != result.block) return false;
  release(w, result.board, now + more + result.after);
  refresh(w, now);
  return false;
}

// S4. Results leave the pipe in order: while one waits, the pipe does not take the scheduler's next one, and
// the scheduler stops at once, unless a register a cycle is written.
bool Sm::waits_for_result(Scheduler& s, const DecodedOp& o, Cycle now) {
  if (o.return_hold == 0 || !s.result.waits || !result_waits(s, now)) return false;
  if (!s.result.slow) s.result.latest = std::min(s.result.latest, std::max(now, s.resume));
  s.next = std::min(s.next, s.result.latest);
  return pipe_waits(static_cast<double>(now + 1), now);
}

// The cycles for which the result stops the scheduler; then it is written.
int Sm::stop_for_result(Scheduler& s, Cycle now) {
  auto& result = s.result;
  const auto held = std::min<Cycle>(result.hold, result.written - s.free_cycles(now));
  result.written = s.free_cycles(now) + held;
  return static_cast<int>(held);
}

// Lets the instruction act as it leaves the pipe; returns the cycle in which its result is there.
Cycle Sm::finish(Warp& w, const DecodedOp& o, Cycle now) {
  const auto& share = memory_.share();
  const auto transfer = static_cast<Cycle>(std::ceil(o.accept - p_.accept_interval));
  switch (o.kind) {
    case Kind::shared_load: {
      const auto passes = static_cast<Cycle>(std::ceil((o.accept - 1) * p_.pass_latency));
      const Cycle done = now + p_.shared_latency - p_.shared_load_address + passes;
      auto& last = scheduler(w.scheduler).last_result;  // they come back in order
      return last = std::max(done, last + static_cast<Cycle>(std::ceil(o.accept)));
    }
    case Kind::cluster_load:
      return memory_.cluster_load(now, o.address, o.cluster_bytes, w.cluster_loads++ % p_.cluster_blocks,
                                  static_cast<int>(&w - warps_.data()));
    case Kind::warp_exchange:
      return now + p_.exchange_latency - p_.shared_load_address;
    case Kind::global_load: {
      if (o.local_load) return local_load(w, o, now);
      const Cycle done = ask(o, w, now);
      if (o.comes) return in_order(w, passed_on(std::max(done, w.last_data), o));
      const auto banks = static_cast<Cycle>(std::ceil(banks_free_ - o.later));
      return done + std::max<Cycle>(0, banks - now) +
             static_cast<Cycle>(std::ceil(std::max(0.0, o.later - 1)));
    }
    case Kind::global_store: {
      if (work_.others_stored > 0 && now + skipped_ >= work_.others_stored)
        memory_.set_share(work_.after_others);
      packets_sent_ = o.store_packets;
      if (o.joined_behind > 0 || o.joined_around > 0 || o.joined_own > 0) {
        const auto met =
            open_lines_.meet({w.block, w.number, w.stores, o.joined_own > 0}, warps_per_block_, now);
        packets_sent_ -= met.behind * o.joined_behind + met.around * o.joined_around + met.own * o.joined_own;
      }
      ++w.stores;
      const Cycle stored =
          memory_.store(now, {o.sectors, dram_share(o, share.dram_write_share), packets_sent_, o.stored_bytes,
                              o.lone_sectors, in_step(w, now), store_waited_});
      open_lines_.keep(o.sectors, memory_.stores_taken());
      return stored;
    }
    case Kind::async_copy: {
      Cycle done = ask(o, w, now);
      if (o.comes) {
        done = in_order(w, std::max(done, w.last_data));
        if (o.copy_comes > 0) copies_come_.add(done, o.copy_comes);
        if (o.later > 0) {
          arrivals_.add(done, o.later);
          keep_from_reads(static_cast<double>(done), o.later);
        }
        done = read_behind(done + std::lround(o.later), o);
      }
      w.copies_done = std::max(w.copies_done, done);
      return done;
    }
    case Kind::commit_group: {
      const auto at = static_cast<std::size_t>(w.groups_known % group_history);
      const Cycle before = w.groups_known > 0
                               ? w.group_done[static_cast<std::size_t>((w.groups_known - 1) % group_history)]
                               : 0;
      w.group_done[at] = std::max({before, w.copies_done, now});
      ++w.groups_known;
      return w.group_done[at];
    }
    default:
      return now + transfer + 1;
  }
}

// S6. L1 misses, copies included, return to a warp in the order in which it asked.
Cycle Sm::in_order(Warp& w, Cycle done) {
  return w.last_data = std::max(w.last_data, done);
}

// S16. Shares of misses add up until a whole load misses.
Cycle Sm::local_load(Warp& w, const DecodedOp& o, Cycle now) {
  local_misses_ += 1 - o.own_share;
  if (local_misses_ < 1 - 1e-9) return now + p_.local_latency - o.address;
  local_misses_ -= 1;
  return in_order(w, memory_.load(now, o.address, {o.sectors, 0}));
}

void Sm::perform(const QueueEntry& entry, const DecodedOp& o, Cycle now) {
  Warp& w = warp(entry.warp);
  const bool gone = w.done || w.block != entry.block;
  if (o.kind == Kind::fence && !gone) w.barrier_until = fence(now);
  if (o.kind == Kind::barrier && !gone) arrive(w, o, now);
  const Cycle done = finish(w, o, now);
  if (gone) return;
  if (o.return_hold > 0) {
    write_result(entry, o, done, now);
  } else {
    release(w, o.write_barrier, done);
  }
  refresh(w, now);
}

// S12. The cycle until which a fence that has come to the pipe holds its warp. The SM makes its accesses
// visible in rounds, one at a time, each for all warps that wait; a warp whose SM has accessed more since a
// round began waits for the next.
Cycle Sm::fence(Cycle now) {
  auto& last = fences_[fence_count_ % fences_at_once];
  const Cycle begin = fence_count_++ < fences_at_once ? now : std::max(now, last + p_.fence_interval);
  last = begin;
  if (touched_ > fenced_) {
    constexpr double most = 64;
    const auto each = static_cast<double>(accesses_) / static_cast<double>(warps_.size());
    const double longer = p_.fence_each_fourfold * std::log2(std::clamp(each, 1.0, most)) / 2;
    const Cycle taken = memory_.stores_taken();
    const bool stored = taken > fenced_;
    fenced_ = std::max(begin, visible_);
    const int round = fenced_ == begin ? p_.fence_behind
                      : stored         ? p_.fence_behind_fence_stored
                                       : p_.fence_behind_fence;
    visible_ = std::max(fenced_ + round + std::lround(longer), stored ? taken + p_.fence_behind_stores : 0);
    accesses_ = 0;
  }
  return std::max(begin, visible_) + p_.fence;
}

// S12. Arrival at the cluster's barrier. The other blocks are taken to arrive as this one does, but for the
// deviations of SMs since they last met: it waits for the last of them.
void Sm::arrive_at_cluster(Warp& w, Cycle now) {
  auto& slot = slots_[static_cast<std::size_t>(w.slot)];
  auto& barrier = slot.cluster;
  barrier.counted = std::max(barrier.counted, now) + p_.barrier_interval;
  if (++barrier.arrived < warps_per_block_) return;
  barrier.arrived = 0;
  memory_.cluster_meets();
  const auto since_met = static_cast<double>(barrier.counted + skipped_ - slot.met);
  const double behind = work_.last_of_cluster * analytic::sm_deviation(Cycles{since_met}).value();
  const Cycle opens = barrier.counted + std::lround(behind) + p_.cluster_release;
  slot.met = opens + skipped_;
  barrier.open[static_cast<std::size_t>(barrier.complete++ % 2)] = opens;
  for (int n = 0; n < warps_per_block_; ++n) {
    Warp& other = warp(w.slot * warps_per_block_ + n);
    if (&other != &w && !other.done && op(other.op).kind == Kind::cluster_wait) refresh(other, now);
  }
}

// S5. The last arrival opens the barrier for all.
void Sm::arrive(Warp& w, const DecodedOp& o, Cycle now) {
  auto& slot = slots_[static_cast<std::size_t>(w.slot)];
  auto& barrier = slot.barrier[static_cast<std::size_t>(o.barrier_id)];
  if (++barrier.arrived < o.barrier_warps) return;
  barrier.arrived = 0;
  slot.asking_from.reset();
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

}  // namespace tilecast::sim
