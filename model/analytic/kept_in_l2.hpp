#pragma once
// What L2 still has of sets that kernels read and write again and again (EQUATIONS.md A5).

#include "model/analytic/analytic.hpp"
#include "model/analytic/machine.hpp"

namespace tilecast::analytic {

// By the same SMs: in the next launch of blocks that are on the same SMs each time, one on each at least.
enum class Again { in_same_launch, in_next_launch, by_same_sms, by_same_tiles };

// The fraction of a set of so many bytes that L2 has no more when it is walked again in the same order, each
// line of it by so many SMs at the same time.
double missed(Bytes touched, double readers, const Machine& machine, Again again);

// The mean of that where each launch walks a part of the set in another order, that much of it (a fraction)
// in a row.
double missed_in_another_order(Bytes touched, double part, double readers, const Machine& machine,
                               Again again);

// What a launch writes, and what of it would take as much room as what is read beside it; the share of the
// written lines that come in parts with others between, and how much of it comes each time in another order.
struct WrittenSet {
  Bytes written, beside;
  double lines_apart = 0;
  Bytes reordered{};
  bool on_same_sms = false;  // its blocks, in each launch
};

// The fraction of it that L2 hands to DRAM while the kernel, which touches so much in all, is launched again
// and again.
double written_back(const WrittenSet& set, Bytes touched, const Machine& machine, Caches caches);

}  // namespace tilecast::analytic
