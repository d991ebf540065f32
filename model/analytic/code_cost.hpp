#pragma once
// What a warp's machine code costs its scheduler and the SM, in cycles (EQUATIONS.md A14). Only for code that
// was read; without it A1 to A10 hold.

#include "model/analytic/combine.hpp"

namespace tilecast::analytic {

// Cycles of one warp: `pipe` on the SM's memory pipe, which all schedulers share, the others on its
// scheduler.
struct CodeCost {
  double fma = 0, issue = 0, ports = 0, alu = 0, queue = 0, pipe = 0;
  double turns = 0;  // waits for a pipe that the instruction before took
  double chain = 0;  // the warp alone, from start to end
  // The scheduler's busiest part. Waiting for a register port stops all issue, so that it adds to `issue`.
  double service() const;
};

CodeCost code_cost(const CodeCounts& counts, const Machine& machine, const Enabled& enabled);

// Cycles until all of a block's `warps` warps, begun together, have gone through the code (A13).
double segment_cycles(const CodeCost& cost, double warps, const Machine& machine, const Enabled& enabled);
// The same where `busiest` of them are on one scheduler.
double cycles_of_warps(const CodeCost& cost, double warps, double busiest, const Enabled& enabled);

}  // namespace tilecast::analytic
