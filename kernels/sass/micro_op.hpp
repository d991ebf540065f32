#pragma once
// An instruction made ready for one launch: operands looked up, constants filled in, the function that
// calculates it.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "kernels/sass/program.hpp"
#include "kernels/sass/warp_state.hpp"

namespace tilecast::sass {

enum class SourceKind : std::uint8_t { number, vector, uniform, predicate, uniform_predicate, unknown };

struct Source {
  SourceKind kind = SourceKind::number;
  std::uint8_t index = 0;
  bool negated = false, inverted = false, absolute = false;
  std::uint64_t number = 0;
};

// What an instruction does to control.
enum class Flow : std::uint8_t {
  none,
  leave,   // EXIT, KILL
  branch,  // BRA
  call,
  back,       // RET
  meet,       // BSYNC
  meet_warp,  // WARPSYNC
  note,       // BSSY: who is to meet
  forget,     // BREAK: who is not
  other,      // what is not followed
};

struct MicroOp;
// Calculates for the lanes that run it, at least one. Uniform registers are written once for the warp.
using Operation = void (*)(const MicroOp&, WarpState&, LaneMask lanes);

struct MicroOp {
  Operation run = nullptr;
  Operation run_one = nullptr;  // the same for one lane; nullptr: there is none
  const Instruction* code = nullptr;
  int instruction = 0;  // index in the program
  int source_count = 0;
  OpClass op_class = OpClass::control;  // the instruction's
  bool guarded = false;                 // @P0: lanes that run; `number` true means always
  bool uniform = false;                 // writes uniform registers
  bool matters = false;                 // in itself: matters_in_itself()
  int access = 0;                       // number among the program's accesses to memory
  bool past_l1 = false;                 // an asynchronous copy that leaves L1 out
  Flow flow = Flow::none;
  bool by_divergence = false;               // a branch taken if the warp has diverged, or has not
  bool if_diverged = false;                 // which of them
  std::optional<int> target;                // block
  std::optional<int> meeting;               // convergence barrier
  std::optional<std::uint8_t> destination;  // register; none: RZ or no register
  int destination_words = 1;
  std::uint32_t detail = 0;  // what the operation's maker found in the modifiers
  Source guard;
  std::array<std::optional<std::uint8_t>, 2> predicates;  // written, by position; none: PT
  std::array<Source, 8> sources;
};

// The constants of a launch that are known.
struct ConstantBanks {
  std::map<std::pair<int, int>, std::uint32_t> words;  // by bank and offset in bytes

  std::optional<std::uint64_t> read(int bank, int offset, int bits) const;
};

// An opcode that can be calculated.
struct OperationInfo {
  std::string_view opcode;
  // Looks at the modifiers, sets `detail`, returns the function; nullptr: this form cannot be calculated.
  Operation (*make)(const Instruction&, MicroOp&);
};

std::span<const OperationInfo> integer_operations();
std::span<const OperationInfo> logic_operations();
std::span<const OperationInfo> other_operations();

// What cannot be calculated: its results are unknown.
void run_unknown(const MicroOp& op, WarpState& state, LaneMask lanes);

// Ready for launch constants `banks`. An opcode that no list knows is made to give unknown results.
MicroOp make_micro_op(const Program& program, int instruction, const ConstantBanks& banks);

// Registers that the results depend on: for what cannot be calculated the guard alone. A memory access needs
// its address; a value stored to local memory is needed too, as it may be an address.
RegisterSet registers_needed(const MicroOp& op);
RegisterSet registers_of_guard(const MicroOp& op);

}  // namespace tilecast::sass
