#include "kernels/sass/flow_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/support/errors.hpp"

namespace tilecast::sass {
namespace {

constexpr std::int64_t instruction_bytes = 16;

bool is_always(const Instruction& instruction) {
  const auto never_fails = [](const Operand& o) { return o.index == true_predicate && !o.negated; };
  if (instruction.guard && !never_fails(*instruction.guard)) return false;
  // BRA.U and BRA.DIV take their condition as an operand.
  return std::ranges::none_of(instruction.sources, [&](const Operand& o) {
    return (o.kind == OperandKind::predicate || o.kind == OperandKind::uniform_predicate ||
            o.kind == OperandKind::uniform_register) &&
           !(o.kind != OperandKind::uniform_register && never_fails(o));
  });
}

// Whether threads may part or meet again after the instruction.
bool ends_block(const Instruction& instruction) {
  return instruction.op_class == OpClass::branch || instruction.opcode == "BSYNC" ||
         instruction.opcode == "WARPSYNC";
}

void add_edge(std::vector<BasicBlock>& blocks, int from, int to) {
  auto& successors = blocks[static_cast<std::size_t>(from)].successors;
  if (std::ranges::find(successors, to) != successors.end()) return;
  successors.push_back(to);
  blocks[static_cast<std::size_t>(to)].predecessors.push_back(from);
}

// Reachable blocks in reverse postorder from the first one.
std::vector<int> reverse_postorder(const std::vector<BasicBlock>& blocks) {
  std::vector<int> order;
  std::vector<bool> seen(blocks.size());
  struct Visit {
    int block;
    std::size_t next;
  };
  std::vector<Visit> stack{{0, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    auto& visit = stack.back();
    const auto& successors = blocks[static_cast<std::size_t>(visit.block)].successors;
    if (visit.next == successors.size()) {
      order.push_back(visit.block);
      stack.pop_back();
      continue;
    }
    const int to = successors[visit.next++];
    if (!seen[static_cast<std::size_t>(to)]) {
      seen[static_cast<std::size_t>(to)] = true;
      stack.push_back({to, 0});
    }
  }
  std::ranges::reverse(order);
  return order;
}

// Immediate dominators by Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001; nullopt for
// blocks that cannot be reached.
std::vector<std::optional<int>> immediate_dominators(const std::vector<BasicBlock>& blocks) {
  const auto order = reverse_postorder(blocks);
  std::vector<int> rank(blocks.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    rank[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  std::vector<std::optional<int>> dominator(blocks.size());
  dominator[0] = 0;
  const auto common = [&](int a, int b) {
    while (a != b) {
      int& lower = rank[static_cast<std::size_t>(a)] > rank[static_cast<std::size_t>(b)] ? a : b;
      lower = *dominator[static_cast<std::size_t>(lower)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int block : order) {
      if (block == 0) continue;
      std::optional<int> best;
      for (const int from : blocks[static_cast<std::size_t>(block)].predecessors) {
        if (dominator[static_cast<std::size_t>(from)]) best = best ? common(*best, from) : from;
      }
      if (best != dominator[static_cast<std::size_t>(block)]) {
        dominator[static_cast<std::size_t>(block)] = best;
        changed = true;
      }
    }
  }
  return dominator;
}

bool dominates(const std::vector<std::optional<int>>& dominator, int above, int below) {
  if (!dominator[static_cast<std::size_t>(below)]) return false;
  for (int at = below;;) {
    if (at == above) return true;
    if (at == 0) return false;
    at = *dominator[static_cast<std::size_t>(at)];
  }
}

void collect_body(const std::vector<BasicBlock>& blocks, int header, int from, std::set<int>& body) {
  std::vector<int> todo{from};
  body.insert(header);
  while (!todo.empty()) {
    const int block = todo.back();
    todo.pop_back();
    if (!body.insert(block).second) continue;
    for (const int before : blocks[static_cast<std::size_t>(block)].predecessors)
      todo.push_back(before);
  }
}

}  // namespace

std::optional<std::int64_t> branch_target(const Instruction& instruction) {
  if (instruction.opcode != "BRA" && instruction.opcode != "CALL") return std::nullopt;
  for (const auto& operand : instruction.sources) {
    if (operand.kind == OperandKind::target) return operand.value;
  }
  return std::nullopt;
}

bool falls_through(const Instruction& instruction) {
  if (instruction.op_class != OpClass::branch) return true;
  return instruction.opcode == "CALL" || !is_always(instruction);  // the called function returns here
}

std::vector<BasicBlock> basic_blocks(const std::vector<Instruction>& instructions) {
  const int count = static_cast<int>(instructions.size());
  const auto index_of = [&](std::int64_t offset, const Instruction& from) {
    if (offset % instruction_bytes != 0 || offset < 0 || offset / instruction_bytes >= count)
      throw InputError(fmt::format("{} goes to {:#x}, where no instruction is", describe(from), offset));
    return static_cast<int>(offset / instruction_bytes);
  };
  std::set<int> leaders{0};
  for (int i = 0; i < count; ++i) {
    const auto& instruction = instructions[static_cast<std::size_t>(i)];
    for (const auto& operand : instruction.sources) {  // also where a convergence barrier waits
      if (operand.kind == OperandKind::target) leaders.insert(index_of(operand.value, instruction));
    }
    if (ends_block(instruction) && i + 1 < count) leaders.insert(i + 1);
  }
  std::vector<BasicBlock> blocks;
  std::vector<int> block_of(instructions.size());
  for (auto leader = leaders.begin(); leader != leaders.end(); ++leader) {
    const int last = std::next(leader) == leaders.end() ? count : *std::next(leader);
    for (int i = *leader; i < last; ++i)
      block_of[static_cast<std::size_t>(i)] = static_cast<int>(blocks.size());
    blocks.push_back({.first = *leader, .last = last});
  }
  for (int b = 0; b < static_cast<int>(blocks.size()); ++b) {
    const auto& end = instructions[static_cast<std::size_t>(blocks[static_cast<std::size_t>(b)].last - 1)];
    if (const auto target = branch_target(end))
      add_edge(blocks, b, block_of[static_cast<std::size_t>(index_of(*target, end))]);
    if (!falls_through(end)) continue;
    if (b + 1 == static_cast<int>(blocks.size())) continue;  // the NOPs that pad the section
    add_edge(blocks, b, b + 1);
  }
  return blocks;
}

std::vector<Loop> natural_loops(std::vector<BasicBlock>& blocks) {
  const auto dominator = immediate_dominators(blocks);
  std::vector<Loop> loops;
  for (int header = 0; header < static_cast<int>(blocks.size()); ++header) {
    std::set<int> body;
    std::vector<int> back_edges;
    for (const int from : blocks[static_cast<std::size_t>(header)].predecessors) {
      if (!dominates(dominator, header, from)) continue;
      back_edges.push_back(from);
      collect_body(blocks, header, from, body);
    }
    if (back_edges.empty()) continue;
    // The branch to itself behind every function's end is unreachable.
    if (header != 0 && !dominator[static_cast<std::size_t>(header)]) continue;
    loops.push_back({.header = header, .blocks = {body.begin(), body.end()}, .back_edges = back_edges});
  }
  std::ranges::stable_sort(loops, std::ranges::greater{}, [](const Loop& l) { return l.blocks.size(); });
  for (int i = 0; i < static_cast<int>(loops.size()); ++i) {
    auto& loop = loops[static_cast<std::size_t>(i)];
    if (const auto outer = blocks[static_cast<std::size_t>(loop.header)].loop) {
      loop.parent = outer;
      loop.depth = loops[static_cast<std::size_t>(*outer)].depth + 1;
    }
    for (const int block : loop.blocks)
      blocks[static_cast<std::size_t>(block)].loop = i;
  }
  return loops;
}

}  // namespace tilecast::sass
