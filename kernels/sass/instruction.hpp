#pragma once
// One machine instruction of sm_75 to sm_120, typed: what `nvdisasm` prints, and the control field that it
// does not print, from the 128-bit encoding.

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/sass/opcodes.hpp"

namespace tilecast::sass {

constexpr int zero_register = 255;  // RZ, URZ: reads 0, writes are dropped
constexpr int true_predicate = 7;   // PT, UPT

enum class OperandKind {
  vector_register,    // R0 to R254, RZ
  uniform_register,   // UR0 to UR254, URZ
  predicate,          // P0 to P6, PT
  uniform_predicate,  // UP0 to UP6, UPT
  barrier_register,   // B0 to B15, convergence barriers of a warp
  scoreboard,         // SB0 to SB5
  special_register,   // SR_TID.X, SRZ: `name`
  all_predicates,     // PR
  immediate,
  constant,  // c[bank][index + offset], also cx[UR][offset]
  memory,    // [...]
  target,    // of a branch: `value` is the offset in the function
};

struct Operand {
  OperandKind kind = OperandKind::immediate;
  int index = zero_register;  // register or predicate number
  int bits = 32;              // of the value: 64 and 128 take 2 and 4 registers from `index` on
  bool negated = false;       // -x of a number, !p of a predicate
  bool inverted = false;      // ~x
  bool absolute = false;      // |x|
  bool reuse = false;         // keeps the register in the operand collector for the next instruction
  std::int64_t value = 0;     // immediate; constant and memory: displacement in bytes; target: offset
  bool is_float = false;      // an immediate printed as a decimal fraction: `value` is not set
  // constant: bank, and the registers that the address adds; memory: base and further address registers
  int bank = 0;
  std::optional<int> base;          // vector register
  std::optional<int> uniform_base;  // uniform register
  std::optional<int> descriptor;    // desc[UR]: uniform register pair that names the address space's view
  int base_bits = 32;               // 64: base is a pair
  int uniform_bits = 32;            // 64: uniform_base is a pair
  int scale = 1;                    // of base: [R2.X4+0x10]
  std::string name;                 // special_register
};

// The compiler's scheduling decisions, bits 105 to 125 of the encoding (see control_field.cpp).
struct ControlField {
  int stall = 0;                     // cycles until this warp may issue its next instruction
  bool yield = false;                // the scheduler is asked to prefer another warp
  std::optional<int> write_barrier;  // scoreboard released when the result is written
  std::optional<int> read_barrier;   // scoreboard released when the sources are read
  int wait_mask = 0;                 // scoreboards (bit i: SBi) that must be free before issue
  int reuse_mask = 0;                // bit i: source slot i (a, b, c, d) is kept
};

struct Instruction {
  std::int64_t offset = 0;             // bytes from the function's first instruction
  std::string opcode;                  // "LDS"
  std::vector<std::string> modifiers;  // "U", "128"
  OpClass op_class = OpClass::control;
  int width_bits = 32;           // of a memory access, a thread
  std::optional<Operand> guard;  // @P0, @!UP1
  std::vector<Operand> destinations, sources;
  ControlField control;
  std::uint64_t low = 0, high = 0;  // the encoding

  bool has(std::string_view modifier) const;
  std::string mnemonic() const;  // "LDS.U.128"
};

// "IMAD.WIDE.U32 at 0x4b0", for messages.
std::string describe(const Instruction& instruction);

// Registers that an instruction reads or writes, pairs and quadruples expanded; RZ, PT and the like are left
// out.
struct RegisterSet {
  std::bitset<256> vector, uniform;
  std::bitset<8> predicates, uniform_predicates;
  std::bitset<16> barriers;

  RegisterSet& operator|=(const RegisterSet& other);
  bool intersects(const RegisterSet& other) const;
  RegisterSet& remove(const RegisterSet& other);
  bool operator==(const RegisterSet&) const = default;
};

RegisterSet registers_read(const Instruction& instruction);     // guard included
RegisterSet registers_written(const Instruction& instruction);  // guard or not

// Register banks of a scheduler on Volta and later: two, by the register's lowest bit (Jia et al., arXiv
// 1804.06826, section 3.3; sm_75 in arXiv 1903.07486).
constexpr int register_bank(int vector_register) {
  return vector_register & 1;
}

// The operand slot (a, b, c: 0, 1, 2) of the source at `place` among those that are no predicates. An FADD is
// a x 1 + c: its second register has slot c, as the reuse bits of compiled code show
// (tests/machine_code_test.cpp).
std::size_t operand_slot(const Instruction& instruction, std::size_t place);

// Of the three source slots of an FFMA, IMAD or the like: how many registers are read from each bank, with
// operands that the instruction before keeps for this slot left out. `kept` holds what the collector has for
// each slot from that instruction (nullopt: nothing).
std::array<int, 2> bank_reads(const Instruction& instruction, const std::array<std::optional<int>, 3>& kept);

// What the collector keeps for the next instruction of this warp.
std::array<std::optional<int>, 3> kept_operands(const Instruction& instruction);

}  // namespace tilecast::sass
