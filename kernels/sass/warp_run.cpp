#include "kernels/sass/warp_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "kernels/sass/followed_loops.hpp"
#include "kernels/sass/guards.hpp"
#include "kernels/sass/slice.hpp"
#include "kernels/sass/warp_memory.hpp"
#include "model/support/errors.hpp"

namespace tilecast::sass {
namespace {

constexpr std::int64_t instruction_bytes = 16;
constexpr std::int64_t most_visits = 100'000'000;

// Nearly always all; a call of std::popcount is felt where the target has no instruction for it.
int threads_of(LaneMask lanes) {
  return lanes == all_lanes ? warp_lanes : std::popcount(lanes);
}

// Threads that go through the program together.
struct Group {
  int block = 0;
  LaneMask lanes = 0;
  LaneMask waits_for = 0;  // lanes that must wait at the same block too; 0: runs
};

class WarpRun {
 public:
  WarpRun(const PreparedProgram& prepared, BlockIndex block, int warp, RunCounts& counts,
          std::vector<Visit>* path)
      : prepared_(prepared),
        program_(*prepared.program),
        counts_(counts),
        path_(path ? *path : own_path_),
        memory_(prepared, warp, counts, state_),
        loops_(prepared, counts, counts.loops) {
    state_.block = {static_cast<std::uint32_t>(block.x), static_cast<std::uint32_t>(block.y),
                    static_cast<std::uint32_t>(block.z)};
    state_.rank = static_cast<std::uint32_t>(block.x % prepared.cluster);
    state_.live = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) {
      const std::int64_t thread = std::int64_t{warp} * warp_lanes + lane;
      state_.thread[0][static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(thread);
      if (thread < prepared.threads) state_.live |= LaneMask{1} << lane;
    }
    groups_.push_back({.lanes = state_.live});
  }

  void run() {
    while (!groups_.empty()) {
      if (groups_.size() == 1 && groups_.front().waits_for == 0) {  // as nearly always
        const Group group = groups_.front();
        groups_.clear();
        go_through(group);
        continue;
      }
      const auto runs = std::ranges::find(groups_.rbegin(), groups_.rend(), LaneMask{0}, &Group::waits_for);
      if (runs == groups_.rend())
        throw Error(ExitCode::failure, fmt::format("{}: threads of one warp wait for each other at {}",
                                                   program_.entry, describe(last(groups_.back().block))));
      const auto index = static_cast<std::size_t>(groups_.rend() - runs) - 1;
      const Group group = groups_[index];
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(index));
      go_through(group);
    }
    loops_.finish();
  }

 private:
  const Instruction& last(int block) const {
    return program_
        .instructions[static_cast<std::size_t>(program_.blocks[static_cast<std::size_t>(block)].last - 1)];
  }

  [[noreturn]] void refuse(const MicroOp& op, std::string_view what, int unknown_since) const {
    const auto& origin = program_.instructions[static_cast<std::size_t>(unknown_since)];
    throw Error(ExitCode::failure, fmt::format("{}: {} depends on {}, whose result cannot be calculated: {}",
                                               program_.entry, describe(*op.code), describe(origin), what));
  }

  LaneMask guarded(const MicroOp& op, LaneMask lanes) const {
    if (const auto held = guarded_lanes(op, state_, lanes)) return *held;
    refuse(op, "its guard is not known", fetch_flags(op.guard, state_, op.instruction).unknown_since);
  }

  void go_through(const Group& group) {
    visit(group);
    release();
    if (static_cast<std::int64_t>(path_.size()) > most_visits)
      throw Error(ExitCode::failure,
                  fmt::format("{}: more than {} blocks in one warp", program_.entry, most_visits));
  }

  void visit(const Group& group) {
    const auto b = static_cast<std::size_t>(group.block);
    const auto* calculated =
        loops_.enter(group.block, groups_.empty() && group.lanes == state_.live, last_block_);
    last_block_ = group.block;
    loops_.note(std::uint64_t{group.lanes} << 32 | b);
    counts_.block_visits[b] += 1;
    counts_.block_threads[b] += threads_of(group.lanes);
    path_.push_back({group.block, group.lanes});
    const auto& block = program_.blocks[b];
    for (const auto& at : (calculated ? *calculated : prepared_.blocks[b]).steps) {
      const int i = at.instruction;
      const auto& op = prepared_.ops[static_cast<std::size_t>(i)];
      if (at.plain) {  // its counts are the block's
        run_operation(op, state_, group.lanes);
        continue;
      }
      if (only_a_result(op, state_, group.lanes)) {
        run_unknown(op, state_, group.lanes);
        continue;
      }
      if (calculated && !leads(op)) {
        follow(op, group.lanes);
        continue;
      }
      auto& count = counts_.steps[static_cast<std::size_t>(i)];
      if (accesses_by_data(op, state_, group.lanes)) {
        count.with_lanes += 1;
        count.threads += threads_of(group.lanes);
        count.unknown_addresses += 1;
        if (counts_.words && op.code->op_class != OpClass::shared_load) counts_.words->lose_all();
        run_unknown(op, state_, group.lanes);
        continue;
      }
      const LaneMask lanes = guarded(op, group.lanes);
      if (lanes != 0) {
        count.with_lanes += 1;
        count.threads += threads_of(lanes);
      }
      if (i == block.last - 1 && ends(op, group, lanes)) return;
      if (lanes != 0) step(op, count, lanes);
    }
    go(group.block + 1, group.lanes);
  }

  // What the instruction decides counts; else its result alone is of interest, where the guard is known.
  static bool leads(const MicroOp& op) {
    return op.op_class == OpClass::branch || op.op_class == OpClass::control ||
           op.op_class == OpClass::barrier;
  }
  void follow(const MicroOp& op, LaneMask lanes) {
    const auto held = guarded_lanes(op, state_, lanes);
    if (!held) return run_unknown(op, state_, lanes);
    if (*held != 0) run_operation(op, state_, *held);
  }

  void step(const MicroOp& op, InstructionCount& count, LaneMask lanes) {
    switch (op.op_class) {
      case OpClass::shared_load:
      case OpClass::shared_store:
      case OpClass::global_load:
      case OpClass::global_store:
      case OpClass::atomic:
      case OpClass::async_copy:
        access(op, count, lanes);
        if (counts_.words && memory_.use_words(op, lanes)) return;
        break;
      case OpClass::local_load:
      case OpClass::local_store:
        memory_.note_local(op, lanes);
        break;
      case OpClass::control:
        control(op, lanes);
        return;
      case OpClass::barrier:
        note_barrier(op, count, lanes);
        break;
      default:
        break;
    }
    run_operation(op, state_, lanes);
  }

  void access(const MicroOp& op, InstructionCount& count, LaneMask lanes) {
    if (counts_.costs) memory_.access(op, count, lanes);
    loops_.note(static_cast<std::uint64_t>(op.instruction) << 32 | lanes);
  }

  void note_barrier(const MicroOp& op, InstructionCount& count, LaneMask lanes) {
    if (op.code->opcode == "BAR") memory_.pass_barrier();
    const auto& sources = op.code->sources;
    if (sources.empty() || sources.front().kind != OperandKind::vector_register) return;
    const auto& named = state_.vector[static_cast<std::size_t>(sources.front().index)];
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    if (named.known >> lane & 1) count.barrier = named.value[lane];
  }

  // Convergence barriers: who takes part is noted, waiting happens where a block ends.
  void control(const MicroOp& op, LaneMask lanes) {
    if (op.flow == Flow::note) {
      auto& barrier = barrier_of(op);
      for (std::size_t i = 0; i < warp_lanes; ++i) {
        if (lanes >> i & 1) barrier[i] = lanes;
      }
    } else if (op.flow == Flow::forget) {
      for (auto& members : barrier_of(op))
        members &= ~lanes;
    } else if (op.code->opcode == "BMOV") {
      op.run(op, state_, lanes);
    }
  }

  std::array<LaneMask, warp_lanes>& barrier_of(const MicroOp& op) {
    if (op.meeting) return state_.barriers[static_cast<std::size_t>(*op.meeting)];
    throw Error(ExitCode::failure,
                fmt::format("{}: {} names no barrier", program_.entry, describe(*op.code)));
  }

  void go(int block, LaneMask lanes, LaneMask waits_for = 0) {
    if (lanes != 0) groups_.push_back({block, lanes, waits_for});
  }

  // What a block's last instruction does to control; false: an ordinary instruction.
  bool ends(const MicroOp& op, const Group& group, LaneMask lanes) {
    const LaneMask others = group.lanes & ~lanes;
    const int next = group.block + 1;
    switch (op.flow) {
      case Flow::leave:
        state_.live &= ~lanes;
        go(next, others);
        return true;
      case Flow::branch: {
        const LaneMask taken = branches(op, group, lanes);
        go(target_of(op), taken);
        go(next, group.lanes & ~taken);
        return true;
      }
      case Flow::call:
        go(target_of(op), lanes);
        go(next, others);
        return true;
      case Flow::back:
        return_to(op, lanes);
        go(next, others);
        return true;
      case Flow::meet: {
        const auto& barrier = barrier_of(op);
        go(next, others);
        go(next, lanes, lanes ? barrier[static_cast<std::size_t>(std::countr_zero(lanes))] : 0);
        return true;
      }
      case Flow::meet_warp:
        go(next, others);
        go(next, lanes, sync_mask(op, lanes));
        return true;
      case Flow::other:
        throw Error(ExitCode::failure, fmt::format("{}: {}: branches of this kind are not followed",
                                                   program_.entry, describe(*op.code)));
      default:
        return false;
    }
  }

  LaneMask sync_mask(const MicroOp& op, LaneMask lanes) const {
    if (op.source_count == 0) return all_lanes;  // WARPSYNC.ALL
    const auto mask = fetch<std::uint32_t, warp_lanes>(op, state_, 0);
    if ((mask.known & lanes) != lanes) refuse(op, "its mask is not known", mask.unknown_since);
    return lanes ? mask.value[static_cast<std::size_t>(std::countr_zero(lanes))] : 0;
  }

  // BRA's own condition besides the guard: a predicate operand with .U, divergence of the warp with .DIV.
  LaneMask branches(const MicroOp& op, const Group& group, LaneMask lanes) const {
    if (op.by_divergence) {
      const bool diverged = group.lanes != state_.live;
      return diverged == op.if_diverged ? lanes : 0;
    }
    for (int i = 0; i < op.source_count; ++i) {
      const auto kind = op.code->sources[static_cast<std::size_t>(i)].kind;
      if (kind != OperandKind::predicate && kind != OperandKind::uniform_predicate) continue;
      const auto flags = fetch_flags(op.sources[static_cast<std::size_t>(i)], state_, op.instruction);
      if ((flags.known & lanes) != lanes) refuse(op, "its condition is not known", flags.unknown_since);
      lanes &= flags.value;
    }
    return lanes;
  }

  int target_of(const MicroOp& op) const {
    if (op.target) return *op.target;
    throw Error(ExitCode::failure,
                fmt::format("{}: {}: computed targets are not followed", program_.entry, describe(*op.code)));
  }

  // RET.REL R8 `(function): the register pair holds the offset from the function's start.
  void return_to(const MicroOp& op, LaneMask lanes) {
    if (lanes == 0) return;
    const auto address = fetch<std::uint32_t, warp_lanes>(op, state_, 0);
    if ((address.known & lanes) != lanes)
      refuse(op, "its return address is not known", address.unknown_since);
    std::int64_t base = 0;
    for (const auto& operand : op.code->sources) {
      if (operand.kind == OperandKind::target) base = operand.value;
    }
    while (lanes != 0) {
      const auto to = address.value[static_cast<std::size_t>(std::countr_zero(lanes))];
      LaneMask same = 0;
      for (std::size_t i = 0; i < warp_lanes; ++i)
        same |= LaneMask{address.value[i] == to} << i;
      const std::int64_t offset = base + static_cast<std::int64_t>(to);
      const int block = program_.block_at(offset);
      if (program_.blocks[static_cast<std::size_t>(block)].first * instruction_bytes != offset)
        throw Error(ExitCode::failure, fmt::format("{}: {} goes to {:#x}, which follows no call",
                                                   program_.entry, describe(*op.code), offset));
      go(block, lanes & same);
      lanes &= ~same;
    }
  }

  // Groups that wait for lanes which have all come, or exited, go on together.
  void release() {
    if (groups_.empty()) return;
    if (groups_.size() == 1) {  // as nearly always
      auto& group = groups_.front();
      if ((group.waits_for & state_.live & ~group.lanes) == 0)
        group = {group.block, group.waits_for == 0 ? group.lanes : group.lanes & state_.live, 0};
      return;
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].waits_for == 0) continue;
      LaneMask here = 0;
      for (const auto& group : groups_) {
        if (group.waits_for != 0 && group.block == groups_[i].block) here |= group.lanes;
      }
      if ((groups_[i].waits_for & state_.live & ~here) != 0) continue;
      const LaneMask together = here & (groups_[i].waits_for | groups_[i].lanes);
      const int block = groups_[i].block;
      std::erase_if(groups_, [&](const Group& group) {
        return group.waits_for != 0 && group.block == block && (group.lanes & ~together) == 0;
      });
      groups_.push_back({block, together & state_.live, 0});
      i = static_cast<std::size_t>(-1);  // from the start again
    }
  }

  const PreparedProgram& prepared_;
  const Program& program_;
  RunCounts& counts_;
  std::vector<Visit> own_path_;
  std::vector<Visit>& path_;
  WarpState state_;
  std::vector<Group> groups_;
  WarpMemory memory_;
  LoopFollower loops_;
  int last_block_ = -1;
};

}  // namespace

void run_warp(const PreparedProgram& prepared, BlockIndex block, int warp, RunCounts& counts,
              std::vector<Visit>* path) {
  // On the heap: the registers of a warp are 32 KB and more.
  std::make_unique<WarpRun>(prepared, block, warp, counts, path)->run();
}

}  // namespace tilecast::sass
