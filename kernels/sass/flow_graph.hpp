#pragma once
// Basic blocks, dominators and natural loops (Aho, Lam, Sethi, Ullman, Compilers, sections 8.4 and 9.6).

#include <vector>

#include "kernels/sass/program.hpp"

namespace tilecast::sass {

// Throws InputError where control goes where no instruction is.
std::vector<BasicBlock> basic_blocks(const std::vector<Instruction>& instructions);

// Sets BasicBlock::loop too. Outer loops come before inner ones.
std::vector<Loop> natural_loops(std::vector<BasicBlock>& blocks);

// The offset that the instruction jumps to; nullopt: not a branch, or a computed one.
std::optional<std::int64_t> branch_target(const Instruction& instruction);

// Whether control may go on to the next instruction.
bool falls_through(const Instruction& instruction);

}  // namespace tilecast::sass
