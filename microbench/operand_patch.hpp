#pragma once
// The same loop with other operands, or in another order. No compiler lets a program choose registers or the
// place of an instruction, so to see what register banks and write ports cost, a compiled loop is changed
// (sm_80 to sm_90). Only what is timed is left of the kernel: its results mean nothing. Pure; tested on
// hand-made code.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/runtime/machine_code.hpp"

namespace tilecast {

// The operands of one FFMA, a letter for each of the slots a, b, c: 'e' a fresh even register, 'o' a fresh
// odd one, 'E' and 'O' one that stays the same and is marked for reuse.
struct OperandPattern {
  std::string_view name;
  std::vector<std::string_view> ffmas;  // repeated over the loop
};

// `loop` with the operands of its FFMAs as `pattern` says, taken in turn from the registers that its FFMAs
// read and none of them writes; results stay where they were. Throws Error when there are fewer than four of
// either bank.
std::vector<MachineWord> with_operands(std::span<const MachineWord> loop, const OperandPattern& pattern);

// `loop` with its shared-memory loads (LDS) evenly among its FFMAs, each in the middle of its share, and
// waiting for no scoreboard; all other instructions in the order in which they were. Throws Error when there
// is no load, or the loads do not divide the FFMAs.
std::vector<MachineWord> with_spread_loads(std::span<const MachineWord> loop);

// `code` with stall counts of one in its shared-memory loads: the compiler spaces those that share a
// scoreboard.
std::vector<MachineWord> without_load_stalls(std::span<const MachineWord> code);

// `loop` with FFMAs that write no register (RZ).
std::vector<MachineWord> without_results(std::span<const MachineWord> loop);

// A cubin with `from`, instructions that occur once in it, replaced by `to`. Throws Error when they do not
// occur exactly once or differ in number.
std::vector<char> replace_code(std::span<const char> cubin, std::span<const MachineWord> from,
                               std::span<const MachineWord> to);

}  // namespace tilecast
