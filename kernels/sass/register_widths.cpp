// How many registers each operand takes: the listing names the first one alone.

#include "kernels/sass/register_widths.hpp"

#include <algorithm>
#include <array>

namespace tilecast::sass {
namespace {

bool is_register(const Operand& operand) {
  return operand.kind == OperandKind::vector_register || operand.kind == OperandKind::uniform_register ||
         operand.kind == OperandKind::constant || operand.kind == OperandKind::immediate;
}

void set_bits(std::vector<Operand>& operands, int bits) {
  for (auto& operand : operands) {
    if (is_register(operand)) operand.bits = bits;
  }
}

bool is_memory_access(OpClass op_class) {
  switch (op_class) {
    case OpClass::shared_load:
    case OpClass::shared_store:
    case OpClass::global_load:
    case OpClass::global_store:
    case OpClass::local_load:
    case OpClass::local_store:
    case OpClass::async_copy:
    case OpClass::load_constant:
    case OpClass::atomic:
      return true;
    default:
      return false;
  }
}

int access_bits(const Instruction& instruction) {
  struct Width {
    std::string_view modifier;
    int bits;
  };
  constexpr std::array<Width, 9> widths{{{"64", 64},
                                         {"128", 128},
                                         {"256", 256},
                                         {"U8", 8},
                                         {"S8", 8},
                                         {"U16", 16},
                                         {"S16", 16},
                                         {"ENL2", 256}}};
  for (const auto& [modifier, bits] : widths) {
    if (instruction.has(modifier)) return bits;
  }
  return 32;
}

// The global address of an access is 64 bits wide with .E even where, up to sm_75, the listing does not say
// so.
void widen_addresses(Instruction& instruction) {
  const bool wide = instruction.has("E");
  for (auto& operand : instruction.sources) {
    if (operand.kind != OperandKind::memory) continue;
    const bool global = operand.descriptor || instruction.op_class != OpClass::async_copy ||
                        &operand != instruction.sources.data();
    if (!wide || !global) continue;
    if (operand.base && !operand.uniform_base) operand.base_bits = 64;
    if (operand.uniform_base) operand.uniform_bits = 64;
  }
}

}  // namespace

void set_register_widths(Instruction& instruction) {
  const auto& opcode = instruction.opcode;
  if (is_memory_access(instruction.op_class)) {
    instruction.width_bits = access_bits(instruction);
    const int register_bits = std::max(instruction.width_bits, 32);
    set_bits(instruction.destinations, register_bits);
    if (instruction.op_class != OpClass::load_constant) set_bits(instruction.sources, register_bits);
    widen_addresses(instruction);
    return;
  }
  const bool wide_integer = instruction.has("64") || instruction.has("U64") || instruction.has("S64");
  if (instruction.op_class == OpClass::fp64 || opcode == "FFMA2" || opcode == "FADD2" || opcode == "FMUL2") {
    set_bits(instruction.destinations, 64);
    set_bits(instruction.sources, 64);
    if (instruction.op_class != OpClass::fp64) instruction.width_bits = 64;
  } else if (opcode == "IMAD" || opcode == "UIMAD") {
    const bool wide = instruction.has("WIDE");
    if (wide) set_bits(instruction.destinations, 64);
    if ((wide || instruction.has("HI")) && instruction.sources.size() > 2) instruction.sources[2].bits = 64;
  } else if (opcode == "CS2R" || opcode == "CS2UR") {
    set_bits(instruction.destinations, instruction.has("32") ? 32 : 64);
  } else if (opcode == "F2F" || opcode == "F2I" || opcode == "I2F" || opcode == "UF2I" || opcode == "UI2F") {
    // The first type names the result, what comes after it the source: I2F.F64.S64, F2I.U64.TRUNC,
    // F2F.F32.F64.
    const auto wide = [](const std::string& m) { return m == "F64" || m == "U64" || m == "S64"; };
    const auto& modifiers = instruction.modifiers;
    const bool to_float = opcode == "I2F" || opcode == "UI2F";
    for (std::size_t i = 0; i < modifiers.size(); ++i) {
      if (!wide(modifiers[i])) continue;
      const bool is_float = modifiers[i] == "F64";
      const bool of_result = opcode == "F2F" ? i == 0 : is_float == to_float;
      set_bits(of_result ? instruction.destinations : instruction.sources, 64);
    }
  } else if (wide_integer && opcode != "SHF" && opcode != "USHF" && opcode != "MUFU") {
    set_bits(instruction.destinations, 64);
    set_bits(instruction.sources, 64);
  } else if (opcode == "LEPC") {
    set_bits(instruction.destinations, 64);
  } else if (opcode == "CALL" || opcode == "RET") {
    set_bits(instruction.sources, 64);
  } else if (instruction.op_class == OpClass::tensor) {
    // Counted, never calculated: fragments take at most four registers.
    set_bits(instruction.destinations, 128);
    set_bits(instruction.sources, 128);
  }
}

}  // namespace tilecast::sass
