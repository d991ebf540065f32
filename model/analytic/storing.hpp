#pragma once
// What a block does before it stores, and how many of an SM's blocks store at the same time (EQUATIONS.md A4,
// A5).

#include "model/analytic/machine.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// Cycles that a block alone computes before it stores: all phases but the last.
double cycles_before_stores(const KernelDescription& kernel, const Machine& machine);

// A5. Packets of stores (S6) of its SM behind which a load waits for DRAM to take them, if the blocks that
// run there store so many.
double packets_ahead(double of_running);

// A5. Share of an SM's `blocks` that store at the same time, as fast as DRAM lets them: the stores of one
// take the SM `cycles`.
double storing_share(const KernelDescription& kernel, const Machine& machine, double blocks, double cycles);

}  // namespace tilecast::analytic
