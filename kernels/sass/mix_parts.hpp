#pragma once
// Which blocks of a program are which part of its mix (kernels/code_mix.hpp).

#include <vector>

#include "kernels/sass/execute.hpp"

namespace tilecast::sass {

enum class Region {
  outside,  // of every loop that holds multiply-adds: start or end
  core,
  around_core,  // in the loop right around a core
  further_out,  // in loops around that
  copying       // in a loop without multiply-adds that copies
};

struct BlockPlace {
  Region region = Region::outside;
  bool in_loop = false;      // that holds multiply-adds
  bool opens_round = false;  // header of a loop right around a core
  bool opens_step = false;   // header of a loop around that
};

// By block. A loop holds multiply-adds when `counts` has at least a twentieth of the program's in it: address
// arithmetic has some too. Without such a loop the blocks that have so many are the core.
std::vector<BlockPlace> mix_places(const Program& program, const Counts& counts);

}  // namespace tilecast::sass
