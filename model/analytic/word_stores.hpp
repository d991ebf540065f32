#pragma once
// L2's cost of tiles that threads store word by word (EQUATIONS.md A4).

#include "model/analytic/machine.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// `beyond`: share of such stores that count as beyond L2; `packet`: the time L2 takes for one of their
// packets, in whole sectors.
struct WordStores {
  double beyond = 0, packet = 1;
};

// `at_once`: blocks that run; `touched`: bytes that the launch writes, plus the part of its reads that counts
// (U_w + 0.46 U_r).
WordStores word_stores(const KernelDescription& kernel, double at_once, Bytes touched,
                       const Machine& machine);

// Cost of a packet in whole sectors, if the share `again` of the store's sectors has been stored to before.
double packet_cost(double again, const WordStores& words);

}  // namespace tilecast::analytic
