#pragma once
// What L2 takes for tiles that threads store word by word (EQUATIONS.md A4).

#include "model/analytic/machine.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// Such stores beyond what L2 holds: `beyond`, the share of them that find L2 full, and what a packet of these
// takes it, in whole sectors.
struct WordStores {
  double beyond = 0, packet = 1;
};

// `at_once`: blocks that run; `touched`: what the launch writes, and as much of what it reads as counts
// beside it.
WordStores word_stores(const KernelDescription& kernel, double at_once, Bytes touched,
                       const Machine& machine);

// A packet of a store of whose sectors the share `again` has been stored to before, in whole sectors.
double packet_cost(double again, const WordStores& words);

}  // namespace tilecast::analytic
