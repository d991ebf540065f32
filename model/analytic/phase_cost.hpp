#pragma once
// Costs of a phase's machine code, and the time that one block's warps take for it (EQUATIONS.md A14, A15).

#include "model/analytic/code_cost.hpp"

namespace tilecast::analytic {

// A14 of the parts of a phase's code. `around`: outside of the computation, with the copies where there is
// such code. `compute`: the computation; of it `window`, what comes before the first result that is stored
// and `later_windows` times again, `rest`, all but the first window, and `items`, all but the windows. Of
// `around` that has its copies behind the rest, `copies` of the warp with most, and `before_copies`.
struct PhaseCost {
  CodeCost around, compute, window, rest, items, copies, before_copies;
  double later_windows = 0;
};

PhaseCost cost_of(const Phase& phase, const Machine& machine, const Enabled& enabled);

// Warps of `blocks` blocks on the busiest scheduler, as a number of average warps with the same work.
double computing_warps(const Phase& phase, double blocks, const Machine& machine);

// A14, A15. Cycles that a block's `warps` warps take for `around`, without the cycles `waited` in which each
// of them waits for its own loads there.
double around_cycles(const Phase& phase, const PhaseCost& cost, double warps, double waited,
                     const Machine& machine, const Enabled& enabled);

// A14. Cycles that a block's computing warps take. A15: `storing` are the cycles of the block's share of L2
// that stores beside the computation take.
double computing_cycles(const Phase& phase, const PhaseCost& cost, double storing, const Machine& machine,
                        const Enabled& enabled);

// A15. The share of the time of `around` behind which those of a block's `warps` warps that ask for data have
// done so.
double asking_share(const Phase& phase, const PhaseCost& cost, double warps, const Machine& machine,
                    const Enabled& enabled);

}  // namespace tilecast::analytic
