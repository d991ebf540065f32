#include "kernels/sass/instruction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tilecast::sass {
namespace {

template <std::size_t size>
void add_registers(std::bitset<size>& set, int first, int bits) {
  if (first == zero_register) return;
  for (int i = 0; i < (bits + 31) / 32 && first + i < static_cast<int>(size) - 1; ++i)
    set.set(static_cast<std::size_t>(first + i));
}

void add_address(RegisterSet& set, const Operand& operand) {
  if (operand.base) add_registers(set.vector, *operand.base, operand.base_bits);
  if (operand.uniform_base) add_registers(set.uniform, *operand.uniform_base, operand.uniform_bits);
  if (operand.descriptor) add_registers(set.uniform, *operand.descriptor, 64);
}

void add_operand(RegisterSet& set, const Operand& operand) {
  const auto index = static_cast<std::size_t>(operand.index);
  switch (operand.kind) {
    case OperandKind::vector_register:
      add_registers(set.vector, operand.index, operand.bits);
      break;
    case OperandKind::uniform_register:
      add_registers(set.uniform, operand.index, operand.bits);
      break;
    case OperandKind::predicate:
      if (operand.index != true_predicate) set.predicates.set(index);
      break;
    case OperandKind::uniform_predicate:
      if (operand.index != true_predicate) set.uniform_predicates.set(index);
      break;
    case OperandKind::barrier_register:
      set.barriers.set(index);
      break;
    case OperandKind::all_predicates:
      set.predicates |= std::bitset<8>(0x7f);
      break;
    case OperandKind::constant:
    case OperandKind::memory:
      add_address(set, operand);
      break;
    default:
      break;
  }
}

}  // namespace

bool Instruction::has(std::string_view modifier) const {
  return std::ranges::find(modifiers, modifier) != modifiers.end();
}

std::string Instruction::mnemonic() const {
  return modifiers.empty() ? opcode : fmt::format("{}.{}", opcode, fmt::join(modifiers, "."));
}

std::string describe(const Instruction& instruction) {
  return fmt::format("{} at {:#x}", instruction.mnemonic(), instruction.offset);
}

RegisterSet& RegisterSet::operator|=(const RegisterSet& other) {
  vector |= other.vector;
  uniform |= other.uniform;
  predicates |= other.predicates;
  uniform_predicates |= other.uniform_predicates;
  barriers |= other.barriers;
  return *this;
}

bool RegisterSet::intersects(const RegisterSet& other) const {
  return (vector & other.vector).any() || (uniform & other.uniform).any() ||
         (predicates & other.predicates).any() || (uniform_predicates & other.uniform_predicates).any() ||
         (barriers & other.barriers).any();
}

RegisterSet& RegisterSet::remove(const RegisterSet& other) {
  vector &= ~other.vector;
  uniform &= ~other.uniform;
  predicates &= ~other.predicates;
  uniform_predicates &= ~other.uniform_predicates;
  barriers &= ~other.barriers;
  return *this;
}

RegisterSet registers_read(const Instruction& instruction) {
  RegisterSet set;
  if (instruction.guard) add_operand(set, *instruction.guard);
  for (const auto& operand : instruction.sources)
    add_operand(set, operand);
  return set;
}

RegisterSet registers_written(const Instruction& instruction) {
  RegisterSet set;
  for (const auto& operand : instruction.destinations)
    add_operand(set, operand);
  return set;
}

std::size_t operand_slot(const Instruction& instruction, std::size_t place) {
  return instruction.opcode == "FADD" && place == 1 ? 2 : place;
}

std::array<int, 2> bank_reads(const Instruction& instruction, const std::array<std::optional<int>, 3>& kept) {
  std::array<int, 2> reads{};
  std::array<int, 3> seen{zero_register, zero_register, zero_register};
  for (std::size_t place = 0; place < std::min<std::size_t>(3, instruction.sources.size()); ++place) {
    const auto& operand = instruction.sources[place];
    const auto slot = operand_slot(instruction, place);
    if (operand.kind != OperandKind::vector_register || operand.index == zero_register) continue;
    if (kept[slot] == operand.index) continue;
    if (std::ranges::find(seen, operand.index) != seen.end()) continue;  // one read serves both slots
    seen[slot] = operand.index;
    ++reads[static_cast<std::size_t>(register_bank(operand.index))];
  }
  return reads;
}

std::array<std::optional<int>, 3> kept_operands(const Instruction& instruction) {
  std::array<std::optional<int>, 3> kept;
  for (std::size_t place = 0; place < std::min<std::size_t>(3, instruction.sources.size()); ++place) {
    const auto& operand = instruction.sources[place];
    if (operand.reuse && operand.kind == OperandKind::vector_register)
      kept[operand_slot(instruction, place)] = operand.index;
  }
  return kept;
}

}  // namespace tilecast::sass
