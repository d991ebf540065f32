#pragma once

#include "kernels/sass/instruction.hpp"

namespace tilecast::sass {

// Sets `bits` of every operand and `width_bits` from opcode and modifiers.
void set_register_widths(Instruction& instruction);

}  // namespace tilecast::sass
