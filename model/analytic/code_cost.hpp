#pragma once
// What a warp's machine code takes of its scheduler and of the SM, in cycles (EQUATIONS.md A14). Of code that
// was not read nothing is known here: its phases are those of A1 to A10.

#include "model/analytic/combine.hpp"

namespace tilecast::analytic {

// Of one warp. `pipe` is of the SM, which all schedulers share; the others of its scheduler.
struct CodeCost {
  double fma = 0, issue = 0, ports = 0, alu = 0, queue = 0, pipe = 0;
  double turns = 0;  // waiting for a pipe that the instruction before took
  double chain = 0;  // the warp alone
  // Of its scheduler, whichever part is busiest; waiting for a register port stops the issue of everything.
  double service() const;
};

CodeCost code_cost(const CodeCounts& counts, const Machine& machine, const Enabled& enabled);

// Cycles until a block's warps, `warps` of them, have all gone through the code together (A13).
double segment_cycles(const CodeCost& cost, double warps, const Machine& machine, const Enabled& enabled);
// The same where `busiest` of them are on one scheduler.
double cycles_of_warps(const CodeCost& cost, double warps, double busiest, const Enabled& enabled);

}  // namespace tilecast::analytic
