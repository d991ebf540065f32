// Start and end of blocks; a warp's way through its trace.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "model/device/stand_ins.hpp"
#include "model/sim/order_parameter.hpp"
#include "model/sim/sm.hpp"
#include "model/support/errors.hpp"

namespace tilecast::sim {

Sm::Sm(const SmCode& code, const CoreParameters& p, const SmWork& work, Timeline* timeline)
    : p_(p),
      work_(work),
      code_(code.decoded),
      issue_ops_(code.issue_ops),
      memory_(p, work.share, work.seed),
      timeline_(timeline),
      queue_(p.schedulers, p.queue_entries, p.shared_queue_places) {
  warps_per_block_ = static_cast<int>(code_.roles_of_warps.front().size());
  warps_.resize(static_cast<std::size_t>(warps_per_block_ * work.resident));
  own_.resize(warps_.size());
  slots_.resize(static_cast<std::size_t>(work.resident));
  schedulers_.resize(static_cast<std::size_t>(p.schedulers));
  for (auto& s : schedulers_) {
    s.warps.reserve(warps_.size());
    if (p.fp32_pipes < 2) s.second_fp32_free = never;
  }
  lines_room_ = code.l1_lines;
  longest_run_ =
      code_.fetches ? 0 : std::min(p.barrier_release, p.shared_latency - p.shared_load_address) - 1;
  result_.block_end.reserve(static_cast<std::size_t>(work.blocks));
  if (code_.fetches) {
    line_ready_.assign(static_cast<std::size_t>(code_.lines), never);
    line_used_.assign(static_cast<std::size_t>(code_.lines), -1);
    for (const auto line : code_.cached) {
      line_ready_[static_cast<std::size_t>(line)] = 0;
      line_used_[static_cast<std::size_t>(line)] = line_uses_++;
    }
  }
  if (timeline_) timeline_->loop_names = code_.loop_names;
  for (int slot = 0; slot < work.resident && started_ < work.blocks; ++slot) {
    const auto i = static_cast<std::size_t>(slot);
    start_block(slot, i < work.start.size() ? work.start[i] : 0);
  }
  use_tail_share();
}

std::size_t Sm::kind_of(int block) const {
  const auto at = static_cast<std::size_t>(block);
  return at < work_.kind_of.size() ? static_cast<std::size_t>(work_.kind_of[at]) : 0;
}

// Of all its blocks, on average.
double Sm::operations_of_a_block() const {
  std::int64_t operations = 0;
  for (int block = 0; block < work_.blocks; ++block) {
    for (const int role : code_.roles_of_warps[kind_of(block)])
      operations += code_.operations[static_cast<std::size_t>(role)];
  }
  return static_cast<double>(operations) / work_.blocks;
}

// S1. The scheduler of the next block's first warp: behind the last warp of the block before, whoever's place
// it takes, skipping schedulers whose registers are taken.
int Sm::place_block() {
  const auto has_room = [&](int first) {
    for (int n = 0; n < std::min(warps_per_block_, p_.schedulers); ++n) {
      const int more = (warps_per_block_ - n + p_.schedulers - 1) / p_.schedulers;
      if (scheduler((first + n) % p_.schedulers).resident + more > work_.warps_a_scheduler) return false;
    }
    return true;
  };
  int first = next_scheduler_;
  for (int n = 0; n < p_.schedulers && !has_room(first); ++n)
    first = (first + 1) % p_.schedulers;
  next_scheduler_ = (first + warps_per_block_) % p_.schedulers;
  return first;
}

void Sm::start_block(int slot, Cycle at) {
  auto& s = slots_[static_cast<std::size_t>(slot)];
  s = {};
  s.block = started_++;
  s.start = s.met = at + skipped_;
  s.began = at;
  begins_.push_back(s.start);
  s.in_step = in_step_from_begin(s.block);
  const auto& roles = code_.roles_of_warps[kind_of(s.block)];
  const int first = place_block();
  for (int n = 0; n < warps_per_block_; ++n) {
    const int index = slot * warps_per_block_ + n;
    Warp& w = warp(index);
    w = {};
    w.program = &code_.programs[static_cast<std::size_t>(roles[static_cast<std::size_t>(n)])];
    w.slot = slot;
    w.block = s.block;
    w.number = n;
    w.scheduler = (first + n) % p_.schedulers;
    ++scheduler(w.scheduler).resident;
    w.done = false;
    w.last_issue = at - 1;
    w.stall_until = at;
    ++s.live_warps;
  }
  ++live_blocks_;
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    auto& scheduler = schedulers_[i];
    auto& list = scheduler.warps;
    const auto last = scheduler.last < 0 ? -1 : list[static_cast<std::size_t>(scheduler.last)];
    std::erase_if(list, [&](std::int32_t w) { return warp(w).done || warp(w).slot == slot; });
    for (int n = warps_per_block_ - 1; n >= 0; --n) {
      const int index = slot * warps_per_block_ + n;
      if (warp(index).scheduler == static_cast<int>(i)) list.push_back(index);
    }
    std::vector<Candidate> candidates(list.size());
    scheduler.last = -1;
    for (std::size_t place = 0; place < list.size(); ++place) {
      Warp& w = warp(list[place]);
      if (w.slot != slot) candidates[place] = scheduler.candidates[static_cast<std::size_t>(w.place)];
      w.place = static_cast<std::int32_t>(place);
      if (list[place] == last) scheduler.last = w.place;
    }
    scheduler.candidates = std::move(candidates);
  }
  reset_steady();
  lead();
  for (int n = 0; n < warps_per_block_; ++n) {
    const int index = slot * warps_per_block_ + n;
    Warp& w = warp(index);
    enter_step(index, at);
    if (w.done) continue;
    if (code_.fetches) w.fetched = fetch(op(w.op).line, at);
    refresh(w, at);
  }
}

// S8. The leader is the oldest block's first warp: it has priority (S1), so its trips have the SM's pace.
void Sm::lead() {
  if (leader_ >= 0) return;
  int oldest = -1;
  for (int i = 0; i < work_.resident; ++i) {
    const auto& slot = slots_[static_cast<std::size_t>(i)];
    if (slot.live_warps > 0 && (oldest < 0 || slot.block < slots_[static_cast<std::size_t>(oldest)].block))
      oldest = i;
  }
  if (oldest < 0) return;
  leader_ = oldest * warps_per_block_;
  reset_steady();
}

void Sm::end_warp(int index, Cycle now) {
  Warp& w = warp(index);
  w.done = true;
  candidate(w).ready = never;
  auto& slot = slots_[static_cast<std::size_t>(w.slot)];
  if (timeline_) {
    timeline_->add({TimelineEvent::Kind::warp, slot.block, w.number, slot.start, now + skipped_, 0});
  }
  reset_steady();  // the others run at another pace without it
  if (--slot.live_warps == 0) end_block(w.slot, now);
}

void Sm::end_block(int slot, Cycle now) {
  const auto& s = slots_[static_cast<std::size_t>(slot)];
  const Cycle end = now + skipped_;
  result_.block_end.push_back(end);
  result_.issued_by_end.push_back(result_.issued + static_cast<double>(issued_));
  result_.cycles = std::max(result_.cycles, end);
  if (timeline_) timeline_->add({TimelineEvent::Kind::block, s.block, 0, s.start, end, 0});
  --live_blocks_;
  ++ended_;
  reset_steady();  // likewise
  use_tail_share();
  if (leader_ / warps_per_block_ == slot) leader_ = -1;
  if (s.stores == 0)
    replace_block(slot, now);
  else
    slots_[static_cast<std::size_t>(slot)].ended = true;
  lead();
}

// S9. A block's place is free once its stores have passed the pipe, too, and its end has been noticed: one
// end at a time on the whole GPU.
void Sm::replace_block(int slot, Cycle now) {
  auto& s = slots_[static_cast<std::size_t>(slot)];
  s.ended = false;
  for (int n = 0; n < warps_per_block_; ++n)
    --scheduler(warp(slot * warps_per_block_ + n).scheduler).resident;
  const Cycle noticed = std::max(now, completion_free_);
  const int full = work_.blocks - work_.tail_blocks;
  const bool for_tail = started_ >= full, takes = started_ < work_.blocks;
  const bool with_tail = s.block >= full || (for_tail && takes);
  completion_free_ = noticed + (with_tail ? work_.tail_completion : work_.completion);
  result_.completed = std::max(result_.completed, noticed + skipped_);
  in_tail_ = in_tail_ || for_tail;
  if (for_tail && s.block < full) {
    const auto lasted = static_cast<double>(now + skipped_ - s.start);
    result_.places.push_back(
        {now + skipped_, noticed + skipped_, own_deviation(lasted), deviation_of_stores()});
  }
  if (takes) start_block(slot, noticed + work_.replacement);
}

// S9. Standard deviations, between SMs, of what takes this one `time` cycles: without its stores, and by
// them.
double Sm::own_deviation(double time) const {
  return std::min(work_.deviation_walk * std::sqrt(time), work_.deviation_most * time);
}

double Sm::deviation_of_stores() const {
  return stand_in::store_deviation * memory_.contended();
}

// S6. The share of a block's stores that other SMs make at the same time, as far as its begin says: where an
// SM has many blocks, the other SMs are as close together as these.
double Sm::in_step_from_begin(int block) const {
  constexpr int many = 6;  // chosen among 2, 4 and 6 after looking at rows: S6's source
  if (work_.apart) return 0;
  if (block < work_.resident) return 1;
  if (work_.resident < many) return 0;
  const auto last = begins_.size() - 1, at_once = static_cast<std::size_t>(work_.resident);
  const auto period = static_cast<double>(begins_[last] - begins_[last - at_once]);
  return order_parameter(std::span(begins_).subspan(last + 1 - at_once), period);
}

// S6. The same at a store. Two SMs are 2 / sqrt(pi) standard deviations apart on average.
double Sm::in_step(const Warp& w, Cycle now) const {
  const double from_begin = slots_[static_cast<std::size_t>(w.slot)].in_step;
  if (from_begin > 0 || !work_.stays_in_step || memory_.in_step() <= 0) return from_begin;
  const double deviation =
      std::hypot(own_deviation(static_cast<double>(now + skipped_)), deviation_of_stores());
  const double apart = 2 / std::sqrt(std::numbers::pi) * deviation;
  return std::max(0.0, 1 - apart / memory_.in_step());
}

// S9. Switches to the tail's share of the bandwidth once only its blocks are left.
void Sm::use_tail_share() {
  if (work_.tail_blocks == 0 || ended_ < work_.blocks - work_.tail_blocks) return;
  in_tail_ = true;
  memory_.set_share(work_.tail_share);
}

void Sm::stuck() const {
  for (const auto& w : warps_) {
    if (w.done) continue;
    throw InputError(fmt::format(
        "instruction stream: warp {} of a block waits forever before operation {} (a barrier that too few "
        "warps reach, or a scoreboard that nothing releases)",
        w.number, w.op));
  }
  throw InputError("instruction stream: no warp can go on");
}

// Moves on to the next run of operations; the warp ends where there is none.
void Sm::enter_step(int index, Cycle now) {
  Warp& w = warp(index);
  for (;; ++w.step) {
    const auto& s = (*w.program)[static_cast<std::size_t>(w.step)];
    switch (s.kind) {
      case ProgramStep::Kind::run:
        w.op = s.first;
        w.run_end = s.last;
        w.entered_operations += s.last - s.first;
        return;
      case ProgramStep::Kind::loop_begin:
        w.loops[static_cast<std::size_t>(w.depth++)] = {.begin = w.step,
                                                        .remaining = s.trips,
                                                        .operations = w.operations(),
                                                        .entered = now + skipped_,
                                                        .trip_begin = now + skipped_};
        if (index == leader_) {
          steady_[static_cast<std::size_t>(w.depth - 1)].reset();
          progress_[static_cast<std::size_t>(w.depth - 1)].reset();
        }
        break;
      case ProgramStep::Kind::group_begin: {
        auto& loop = w.loops[static_cast<std::size_t>(w.depth - 1)];
        loop.group = w.step;
        loop.group_left = s.trips;
        leave_out(w);
        break;
      }
      case ProgramStep::Kind::group_end:
        end_trip(index, now);
        break;
      case ProgramStep::Kind::loop_end:
        end_loop(index, now);
        break;
      case ProgramStep::Kind::end:
        return end_warp(index, now);
    }
  }
}

// S8. Skips the trips that are due, as far as the current group has them.
void Sm::leave_out(Warp& w) {
  auto& loop = w.loops[static_cast<std::size_t>(w.depth - 1)];
  const auto trips = std::min(loop.skip, loop.group_left);
  loop.skip -= trips;
  loop.group_left -= trips;
  const auto& group = (*w.program)[static_cast<std::size_t>(loop.group)];
  w.step = loop.group_left > 0 ? loop.group : group.end;  // the caller goes on behind it
}

void Sm::end_trip(int index, Cycle now) {
  Warp& w = warp(index);
  auto& loop = w.loops[static_cast<std::size_t>(w.depth - 1)];
  --loop.remaining;
  --loop.group_left;
  loop.operations = w.operations();
  if (timeline_) {
    const auto& head = (*w.program)[static_cast<std::size_t>(loop.begin)];
    const auto& slot = slots_[static_cast<std::size_t>(w.slot)];
    timeline_->add({TimelineEvent::Kind::trip, slot.block, w.number, loop.trip_begin, now + skipped_,
                    head.trips - loop.remaining - 1});
  }
  if (index == leader_ && work_.extrapolate && loop.remaining > 0) skip_trips(w, now);
  loop.trip_begin = now + skipped_;
  leave_out(w);
}

void Sm::end_loop(int index, Cycle now) {
  Warp& w = warp(index);
  --w.depth;
  // The others of its block go on without it (S8).
  if (w.depth == 0 && leader_ >= 0 && w.slot == warp(leader_).slot) reset_steady();
  if (!timeline_) return;
  const auto& loop = w.loops[static_cast<std::size_t>(w.depth)];
  const auto& slot = slots_[static_cast<std::size_t>(w.slot)];
  timeline_->add({TimelineEvent::Kind::loop, slot.block, w.number, loop.entered, now + skipped_,
                  (*w.program)[static_cast<std::size_t>(loop.begin)].name});
}

}  // namespace tilecast::sim
