#pragma once
// S17. Which instructions of a kernel are the first to read a line of the launch's constants.

#include <vector>

#include "kernels/sass/execute.hpp"
#include "kernels/sass/program.hpp"

namespace tilecast::sass {

// By instruction, of those that were executed: whether it is the first in the code to read one of the lines
// of 64 bytes of constant bank 0, those left out that every launch reads: the frame's and the first
// arguments'. Throws InputError where constant_bank_layout() does.
std::vector<bool> first_constants(const Program& program, const Counts& counts);

}  // namespace tilecast::sass
