#pragma once
// S17. The instructions of a kernel that are the first to read a line of the launch's constants.

#include <vector>

#include "kernels/sass/execute.hpp"
#include "kernels/sass/program.hpp"

namespace tilecast::sass {

// By instruction: whether it is the first executed one in the code to read some 64-byte line of constant bank
// 0, without the lines that every launch reads (the frame's and the first arguments'). Throws InputError
// where constant_bank_layout() does.
std::vector<bool> first_constants(const Program& program, const Counts& counts);

}  // namespace tilecast::sass
