#pragma once
// Every opcode that the reader knows, in one list (opcodes.cpp). What is not in it is refused by name: a
// wrong guess about what an unknown instruction writes would go unnoticed.

#include <span>
#include <string_view>

namespace tilecast::sass {

enum class OpClass {
  ffma,  // fp32 fused multiply-add, also packed (FFMA2)
  fp32,  // other fp32 arithmetic
  fp64,
  fp16,         // also as a way to load a constant on the half-precision pipe
  tensor,       // matrix multiply-accumulate
  integer_mad,  // IMAD in all its forms: moves, shifts and adds too
  integer,      // add, logic, shift, compare, select
  conversion,
  mufu,  // reciprocal, square root, ...
  move,
  uniform,        // arithmetic of the uniform datapath
  load_constant,  // LDC, ULDC, LDCU
  special,        // special registers to registers
  shared_load,
  shared_store,
  global_load,
  global_store,
  local_load,
  local_store,
  async_copy,  // LDGSTS: global to shared memory
  bulk_copy,   // copies by the memory engine, and their barriers
  atomic,      // also reductions
  warp,        // shuffles and votes
  barrier,     // of the block
  branch,
  control,  // convergence, waits for counters, memory order, no operation
};
constexpr int op_class_count = static_cast<int>(OpClass::control) + 1;

std::string_view op_class_name(OpClass op_class);

// Destinations come first in the listing: predicates, then registers, then predicates; at most so many of
// each.
struct OpcodeInfo {
  std::string_view name;
  OpClass op_class;
  int leading_predicates = 0;
  int registers = 1;
  int trailing_predicates = 0;
};

std::span<const OpcodeInfo> opcodes();

// nullptr when it is not in the list.
const OpcodeInfo* find_opcode(std::string_view name);

}  // namespace tilecast::sass
