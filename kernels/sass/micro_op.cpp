#include "kernels/sass/micro_op.hpp"

#include <algorithm>

#include "kernels/sass/fetch.hpp"
#include "kernels/sass/slice.hpp"

namespace tilecast::sass {
namespace {

Source make_source(const Operand& operand, const ConstantBanks& banks) {
  Source source{.negated = operand.negated, .inverted = operand.inverted, .absolute = operand.absolute};
  const auto from_register = [&](SourceKind kind) {
    if (operand.index == zero_register) return;  // the number 0
    source.kind = kind;
    source.index = static_cast<std::uint8_t>(operand.index);
  };
  switch (operand.kind) {
    case OperandKind::vector_register:
      from_register(SourceKind::vector);
      break;
    case OperandKind::uniform_register:
      from_register(SourceKind::uniform);
      break;
    case OperandKind::predicate:
    case OperandKind::uniform_predicate:
      if (operand.index == true_predicate) {
        source.number = 1;
      } else {
        source.kind =
            operand.kind == OperandKind::predicate ? SourceKind::predicate : SourceKind::uniform_predicate;
        source.index = static_cast<std::uint8_t>(operand.index);
      }
      break;
    case OperandKind::immediate:
    case OperandKind::target:
      source.number = static_cast<std::uint64_t>(operand.value);
      break;
    case OperandKind::constant: {
      const bool indexed = (operand.base && *operand.base != zero_register) ||
                           (operand.uniform_base && *operand.uniform_base != zero_register) ||
                           operand.descriptor;
      const auto value =
          !indexed ? banks.read(operand.bank, static_cast<int>(operand.value), operand.bits) : std::nullopt;
      if (value) {
        source.number = *value;
      } else {
        source.kind = SourceKind::unknown;
      }
      break;
    }
    case OperandKind::memory:  // the base alone: displacements are the operation's matter
      if (operand.uniform_base || operand.base_bits != 32) source.kind = SourceKind::unknown;
      if (operand.base && *operand.base != zero_register && !operand.uniform_base) {
        source.kind = SourceKind::vector;
        source.index = static_cast<std::uint8_t>(*operand.base);
      }
      break;
    default:
      break;  // named things: operations look at the instruction
  }
  // Part of a register, and values that the listing selects from it, are not calculated.
  if (!operand.name.empty() && operand.kind != OperandKind::special_register)
    source.kind = SourceKind::unknown;
  return source;
}

// LDC and the like: a source for each word.
void spread_constant(const Instruction& code, const ConstantBanks& banks, MicroOp& op) {
  auto operand = code.sources[0];
  operand.bits = 32;
  for (int word = 0; word < op.destination_words; ++word, operand.value += 4)
    op.sources[static_cast<std::size_t>(word)] = make_source(operand, banks);
}

void set_destinations(const Instruction& code, MicroOp& op) {
  std::size_t predicate = 0;
  for (const auto& operand : code.destinations) {
    const auto index = static_cast<std::uint8_t>(operand.index);
    switch (operand.kind) {
      case OperandKind::uniform_register:
        op.uniform = true;
        [[fallthrough]];
      case OperandKind::vector_register:
        op.destination_words = std::max(operand.bits / 32, 1);
        if (operand.index != zero_register) op.destination = index;
        break;
      case OperandKind::uniform_predicate:
        op.uniform = true;
        [[fallthrough]];
      case OperandKind::predicate:
        if (operand.index != true_predicate) op.predicates[std::min<std::size_t>(predicate, 1)] = index;
        ++predicate;
        break;
      default:
        break;
    }
  }
}

Operation find_operation(std::string_view opcode, const Instruction& code, MicroOp& op) {
  for (const auto list : {integer_operations(), logic_operations(), other_operations()}) {
    const auto found = std::ranges::find(list, opcode, &OperationInfo::opcode);
    if (found != list.end()) return found->make(code, op);
  }
  return nullptr;
}

// The uniform datapath's instruction of the same name is the same for one lane. Not of operands of two words,
// of which only the first is looked at.
Operation find_for_one_lane(const Instruction& code, MicroOp& op) {
  for (const auto* modifier : {"WIDE", "64", "U64", "S64"}) {
    if (code.has(modifier)) return nullptr;
  }
  return op.uniform ? nullptr : find_operation("U" + code.opcode, code, op);
}

Flow flow_of(const Instruction& code) {
  constexpr struct {
    std::string_view opcode;
    Flow flow;
  } flows[] = {{"EXIT", Flow::leave}, {"KILL", Flow::leave},   {"BRA", Flow::branch},
               {"CALL", Flow::call},  {"RET", Flow::back},     {"BSYNC", Flow::meet},
               {"BSSY", Flow::note},  {"BREAK", Flow::forget}, {"WARPSYNC", Flow::meet_warp}};
  for (const auto& [opcode, flow] : flows) {
    if (code.opcode == opcode) return flow;
  }
  return code.op_class == OpClass::branch ? Flow::other : Flow::none;
}

void set_flow(const Program& program, const Instruction& code, MicroOp& op) {
  op.flow = flow_of(code);
  op.if_diverged = code.has("DIV");
  op.by_divergence = op.flow == Flow::branch && (op.if_diverged || code.has("CONV"));
  for (const auto* operands : {&code.destinations, &code.sources}) {
    for (const auto& operand : *operands) {
      if (operand.kind == OperandKind::barrier_register) op.meeting = operand.index;
      if (operand.kind == OperandKind::target && (op.flow == Flow::branch || op.flow == Flow::call))
        op.target = program.block_at(operand.value);
    }
  }
}

void add_address(RegisterSet& set, const Operand& operand) {
  Instruction only;
  only.sources = {operand};
  only.sources[0].descriptor.reset();  // says how memory is seen, not where
  set |= registers_read(only);
}

}  // namespace

std::optional<std::uint64_t> ConstantBanks::read(int bank, int offset, int bits) const {
  std::uint64_t value = 0;
  for (int part = 0; part < bits; part += 32) {
    const auto found = words.find({bank, offset + part / 8});
    if (found == words.end()) return std::nullopt;
    if (part < 64) value |= std::uint64_t{found->second} << part;
  }
  return value;
}

void run_unknown(const MicroOp& op, WarpState& state, LaneMask lanes) {
  if (op.destination) {
    for (int word = 0; word < op.destination_words; ++word) {
      const auto index = static_cast<std::size_t>(*op.destination + word);
      if (index >= zero_register) break;
      if (op.uniform) {
        state.uniform[index].known = 0;
        state.uniform[index].unknown_since = op.instruction;
      } else {
        state.vector[index].known &= ~lanes;
        state.vector[index].equal = false;
        state.vector[index].bits = 0;
        state.vector[index].unknown_since = op.instruction;
      }
    }
  }
  for (std::size_t p = 0; p < 2; ++p)
    store_flags(op, state, p, 0, 0, op.instruction, lanes);
}

MicroOp make_micro_op(const Program& program, int instruction, const ConstantBanks& banks) {
  const auto& code = program.instructions[static_cast<std::size_t>(instruction)];
  MicroOp op;
  op.code = &code;
  op.instruction = instruction;
  op.op_class = code.op_class;
  op.matters = matters_in_itself(code.op_class);
  op.past_l1 = code.op_class == OpClass::async_copy && code.has("BYPASS");
  set_destinations(code, op);
  set_flow(program, code, op);
  op.source_count = static_cast<int>(std::min(code.sources.size(), op.sources.size()));
  for (int i = 0; i < op.source_count; ++i)
    op.sources[static_cast<std::size_t>(i)] = make_source(code.sources[static_cast<std::size_t>(i)], banks);
  if (code.op_class == OpClass::load_constant) spread_constant(code, banks, op);
  if (code.guard) {
    op.guarded = true;
    op.guard = make_source(*code.guard, banks);
  }
  op.run_one = find_for_one_lane(code, op);
  op.run = find_operation(code.opcode, code, op);
  if (!op.run) op.run = run_unknown;
  return op;
}

RegisterSet registers_of_guard(const MicroOp& op) {
  Instruction only;
  only.guard = op.code->guard;
  return registers_read(only);
}

RegisterSet registers_needed(const MicroOp& op) {
  const auto& code = *op.code;
  // A barrier's registers say which barrier and how many threads.
  if (op.run != run_unknown || code.op_class == OpClass::branch || code.op_class == OpClass::control ||
      code.op_class == OpClass::barrier)
    return registers_read(code);
  auto set = registers_of_guard(op);
  for (const auto& operand : code.sources) {
    if (operand.kind == OperandKind::memory) add_address(set, operand);
    // An async copy's predicate says whether it reads or writes zeros.
    if (code.op_class == OpClass::async_copy && operand.kind == OperandKind::predicate)
      add_address(set, operand);
  }
  return set;
}

}  // namespace tilecast::sass
