#pragma once
// The control field of an instruction of Volta and later: what the compiler tells the warp scheduler.

#include <cstdint>

#include "kernels/sass/instruction.hpp"

namespace tilecast::sass {

// `high` is the upper 64-bit word of the 128-bit encoding, where bits 105 to 125 are its bits 41 to 61: stall
// count (4 bits), yield (1, set means no), write barrier (3, 7 means none), read barrier (3, 7 means none),
// wait mask (6), reuse (4). Layout: Jia et al., arXiv 1804.06826, section 2.1; the same on Turing (arXiv
// 1903.07486) to Blackwell.
ControlField control_field(std::uint64_t high);

}  // namespace tilecast::sass
