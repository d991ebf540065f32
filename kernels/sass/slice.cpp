#include "kernels/sass/slice.hpp"

namespace tilecast::sass {
namespace {

std::vector<std::vector<int>> successors_with_returns(const Program& program) {
  std::vector<std::vector<int>> successors;
  std::vector<int> after_calls;
  const auto last = [&](const BasicBlock& block) -> const Instruction& {
    return program.instructions[static_cast<std::size_t>(block.last - 1)];
  };
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    successors.push_back(program.blocks[b].successors);
    if (last(program.blocks[b]).opcode == "CALL" && b + 1 < program.blocks.size())
      after_calls.push_back(static_cast<int>(b) + 1);
  }
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    if (last(program.blocks[b]).opcode == "RET")
      successors[b].insert(successors[b].end(), after_calls.begin(), after_calls.end());
  }
  return successors;
}

struct Effects {
  RegisterSet needed, written, kept;  // `kept`: written for sure, whatever the guard
};

}  // namespace

bool matters_in_itself(OpClass op_class) {
  switch (op_class) {
    case OpClass::branch:
    case OpClass::control:
    case OpClass::barrier:
    case OpClass::shared_load:
    case OpClass::shared_store:
    case OpClass::global_load:
    case OpClass::global_store:
    case OpClass::local_store:
    case OpClass::async_copy:
    case OpClass::atomic:
      return true;
    default:
      return false;
  }
}

std::vector<bool> needed_instructions(const Program& program, const std::vector<MicroOp>& ops) {
  std::vector<Effects> effects(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    effects[i].needed = registers_needed(ops[i]);
    effects[i].written = registers_written(*ops[i].code);
    if (!ops[i].guarded) effects[i].kept = effects[i].written;
  }
  std::vector<bool> needed(ops.size());
  const auto is_root = [](const Instruction& code) {
    return matters_in_itself(code.op_class) || code.guard.has_value();  // guards: for the threads that run it
  };
  const auto through = [&](const BasicBlock& block, RegisterSet live) {
    for (int i = block.last - 1; i >= block.first; --i) {
      const auto at = static_cast<std::size_t>(i);
      const bool root = is_root(*ops[at].code);
      if (!root && !effects[at].written.intersects(live)) continue;
      needed[at] = true;
      live.remove(effects[at].kept);
      live |= effects[at].needed;
    }
    return live;
  };
  const auto successors = successors_with_returns(program);
  std::vector<RegisterSet> live_in(program.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = program.blocks.size(); b-- > 0;) {
      RegisterSet live;
      for (const int to : successors[b])
        live |= live_in[static_cast<std::size_t>(to)];
      live = through(program.blocks[b], std::move(live));
      if (live != live_in[b]) {
        live_in[b] = live;
        changed = true;
      }
    }
  }
  return needed;
}

}  // namespace tilecast::sass
