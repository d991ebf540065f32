#include "kernels/sass/warp_alone.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilecast::sass {

using sim::DecodedOp;
using sim::is_memory;
using sim::Unit;
using Kind = StreamOpKind;

int WarpAlone::hold(sim::OperandPorts& ports, Cycle now, const DecodedOp& op) {
  if (op.reads_ports) {
    return sim::hold_for_ports(ports, now, 0, sim::port_operands(op.sources, op.reuse));
  }
  if (is_memory(op.unit))
    sim::take_memory_ports(ports, now, op.sources[0], op.sources[2], op.registers, op.data_registers, p_);
  return 0;
}

// S2. Of two fp32 pipes the one that is free, the second first: integer multiply-adds have only the first.
WarpAlone::Cycle& WarpAlone::free_from(const DecodedOp& op, Cycle now) {
  const auto unit = op.unit == Unit::fp32_first ? Unit::fp32 : op.unit;
  auto& pipes = unit_free_[static_cast<std::size_t>(unit)];
  const bool second = op.unit == Unit::fp32 && p_.fp32_pipes > 1 && (pipes[1] <= now || pipes[1] < pipes[0]);
  return pipes[second ? 1 : 0];
}

// S4.
void WarpAlone::send(const DecodedOp& op, Cycle now) {
  const Cycle ready = std::max(now + op.address, address_free_);
  address_free_ = ready + op.interval;
  const Cycle taken = std::max(ready, static_cast<Cycle>(std::ceil(pipe_free_)));
  pipe_free_ = static_cast<double>(taken) + op.accept;
  queue_.push_back(taken);
  const auto set = [&](std::uint8_t board, Cycle at, bool is_long) {
    if (board == sim::no_scoreboard) return;
    released_[board] = std::max(released_[board], at);
    long_[board] = is_long;
  };
  set(op.read_barrier, taken, false);
  Cycle done = taken + static_cast<Cycle>(std::ceil(op.accept));
  if (op.kind == Kind::shared_load || op.kind == Kind::warp_exchange) {
    const auto passes = static_cast<Cycle>(std::ceil((op.accept - 1) * p_.pass_latency));
    done = taken + p_.shared_latency - p_.shared_load_address + passes;
  }
  set(op.write_barrier, done, op.is_long);
  if (op.kind == Kind::global_load && op.sectors > 0 && op.write_barrier != sim::no_scoreboard)
    loaded_[op.write_barrier] = now + in_barriers_;
  groups_pending_ = groups_pending_ || op.kind == Kind::commit_group;
}

// S4. Of the scheduler that never waits otherwise. Its way to the pipe alone: the pipe is the SM's.
WarpAlone::Cycle WarpAlone::wait_for_room(const DecodedOp& op) {
  auto& queue = saturated_queue_;
  const Cycle asked = saturated_now_;
  while (!queue.empty() && queue.front() <= saturated_now_)
    queue.pop_front();
  if (static_cast<int>(queue.size()) >= p_.queue_entries) {
    saturated_now_ = queue.front();
    queue.pop_front();
  }
  queue.push_back(std::max(saturated_now_ + op.address, saturated_address_free_));
  saturated_address_free_ = queue.back() + op.interval;
  return saturated_now_ - asked;
}

void WarpAlone::wait_for_loads(Cycle issued, Cycle now, Step& step) {
  const Cycle distance = now - issued;
  if (first_wait_ && issued <= *first_wait_) {
    step.load_distance = static_cast<double>(std::min<Cycle>(0, distance - distance_));
    distance_ = std::min(distance_, distance);
    return;
  }
  step.load_wait = true;
  step.load_distance = static_cast<double>(distance);
  first_wait_ = now;
  distance_ = distance;
}

WarpAlone::Step WarpAlone::issue(const DecodedOp& op, bool taken_branch) {
  Step step;
  Cycle now = ready_;
  std::optional<Cycle> loaded;  // the last load that is waited for
  for (int b = 0; b < sim::scoreboard_count; ++b) {
    const auto board = static_cast<std::size_t>(b);
    if ((op.wait_mask >> b & 1) == 0) continue;
    step.long_wait = step.long_wait || long_[board];
    long_[board] = false;
    loaded = std::max(loaded, std::exchange(loaded_[board], std::nullopt));
    now = std::max(now, released_[board]);
  }
  if (op.kind == Kind::wait_groups && groups_pending_) {
    step.long_wait = true;
    groups_pending_ = false;
  }
  step.short_waits = static_cast<double>(now - ready_);
  if (loaded) wait_for_loads(*loaded, now + in_barriers_, step);
  if (is_memory(op.unit)) {
    while (!queue_.empty() && queue_.front() <= now)
      queue_.pop_front();
    if (static_cast<int>(queue_.size()) >= p_.queue_entries) {
      now = queue_[queue_.size() - static_cast<std::size_t>(p_.queue_entries)];
    }
  } else if (op.unit != Unit::none) {
    now = std::max(now, free_from(op, now));
  }

  saturated_now_ += 1;
  const int saturated_hold = hold(saturated_, saturated_now_, op);
  saturated_now_ += saturated_hold;
  step.port_cycles = saturated_hold;
  if (is_memory(op.unit)) step.queue_waits = static_cast<double>(wait_for_room(op));

  if (op.kind == Kind::barrier && !op.arrive_only)
    in_barriers_ += p_.barrier_release + p_.barrier_interval * op.barrier_warps;
  const int held = hold(ports_, now, op);
  if (is_memory(op.unit)) {
    send(op, now);
  } else {
    if (op.unit != Unit::none) free_from(op, now) = now + held + op.interval;
    for (const auto board : {op.read_barrier, op.write_barrier}) {
      if (board != sim::no_scoreboard) released_[board] = std::max(released_[board], now + op.latency);
    }
  }
  step.cycles = static_cast<double>(now - last_);
  last_ = now;
  ready_ = now + held + op.stall + (taken_branch ? op.if_taken : 0);
  return step;
}

}  // namespace tilecast::sass
