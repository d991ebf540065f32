#pragma once
// What the copies of a step are in machine code. A mix is of one launch: in short ones few trips copy, or
// none, and a similar code's tile has other copies (EQUATIONS.md A14).

#include "kernels/code_mix.hpp"

namespace tilecast::gemm_tile {

// Copies of one warp in a step: of A and of B, words of each.
struct StepCopies {
  double a = 0, b = 0;
  int a_words = 1, b_words = 1;
  bool async = false;
  bool gathers = false;  // B's words one by one, by a table of places (implicit_gemm)
};

// What a step that makes these copies counts beyond one that makes none.
CodeCounts step_counts(const StepCopies& copies);

}  // namespace tilecast::gemm_tile
