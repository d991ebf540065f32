#include "kernels/sass/slice.hpp"

#include <algorithm>

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
    case OpClass::local_load:
    case OpClass::local_store:
    case OpClass::async_copy:
    case OpClass::atomic:
      return true;
    default:
      return false;
  }
}

namespace {

// What is not calculated: floating-point numbers and what memory holds.
bool cannot_be_calculated(const MicroOp& op) {
  switch (op.code->op_class) {
    case OpClass::ffma:
    case OpClass::fp32:
    case OpClass::shared_load:
    case OpClass::global_load:
      return true;
    default:
      return false;
  }
}

class Slicer {
 public:
  Slicer(const Program& program, const std::vector<MicroOp>& ops)
      : program_(program), ops_(ops), effects_(ops.size()), successors_(successors_with_returns(program)) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      effects_[i].needed = registers_needed(ops[i]);
      effects_[i].written = registers_written(*ops[i].code);
      if (!ops[i].guarded) effects_[i].kept = effects_[i].written;
    }
  }

  Slice slice() {
    Slice s;
    backward(s);
    // Barriers of a part of the block say nothing of what the others have done.
    const bool of_parts = std::ranges::any_of(ops_, [](const MicroOp& op) {
      const auto& sources = op.code->sources;
      return op.code->opcode == "BAR" &&
             (sources.size() != 1 || sources.front().kind != OperandKind::immediate);
    });
    s.has_tables = s.has_tables && !of_parts;
    if (!s.has_tables) return s;
    find_stores(s);
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (s.table_stores[i]) effects_[i].needed |= registers_read(*ops_[i].code);
    }
    backward(s);
    return s;
  }

 private:
  RegisterSet through(const BasicBlock& block, RegisterSet live, Slice& s) const {
    for (int i = block.last - 1; i >= block.first; --i) {
      const auto at = static_cast<std::size_t>(i);
      const auto& code = *ops_[at].code;
      const bool used = effects_[at].written.intersects(live);
      // Guards: for the threads that run it.
      if (!used && !matters_in_itself(code.op_class) && !code.guard) continue;
      s.needed[at] = true;
      if (used && code.op_class == OpClass::shared_load && code.width_bits >= 32)
        s.table_loads[at] = s.has_tables = true;
      live.remove(effects_[at].kept);
      live |= effects_[at].needed;
    }
    return live;
  }

  void backward(Slice& s) const {
    s.needed.assign(ops_.size(), false);
    s.table_loads.assign(ops_.size(), false);
    s.table_stores.resize(ops_.size());
    auto& live_in = s.live_in;
    live_in.assign(program_.blocks.size(), {});
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = program_.blocks.size(); b-- > 0;) {
        RegisterSet live;
        for (const int to : successors_[b])
          live |= live_in[static_cast<std::size_t>(to)];
        live = through(program_.blocks[b], std::move(live), s);
        if (live != live_in[b]) {
          live_in[b] = live;
          changed = true;
        }
      }
    }
  }

  // Registers that may hold what is not calculated, forward through the blocks.
  void find_stores(Slice& s) const {
    std::vector<RegisterSet> unknown_in(program_.blocks.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
        auto unknown = unknown_in[b];
        for (int i = program_.blocks[b].first; i < program_.blocks[b].last; ++i) {
          const auto at = static_cast<std::size_t>(i);
          const auto read = registers_read(*ops_[at].code);
          if (ops_[at].code->op_class == OpClass::shared_store)
            s.table_stores[at] = !read.intersects(unknown);
          const bool taken_over = cannot_be_calculated(ops_[at]) || read.intersects(unknown);
          if (!taken_over) unknown.remove(effects_[at].kept);
          if (taken_over) unknown |= effects_[at].written;
        }
        for (const int to : successors_[b]) {
          auto& in = unknown_in[static_cast<std::size_t>(to)];
          auto merged = in;
          merged |= unknown;
          if (merged == in) continue;
          in = merged;
          changed = true;
        }
      }
    }
  }

  const Program& program_;
  const std::vector<MicroOp>& ops_;
  std::vector<Effects> effects_;
  std::vector<std::vector<int>> successors_;
};

}  // namespace

Slice slice_of(const Program& program, const std::vector<MicroOp>& ops) {
  return Slicer(program, ops).slice();
}

}  // namespace tilecast::sass
