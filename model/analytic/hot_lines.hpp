#pragma once
// S14. The lines that all blocks ask for when a launch begins lie in few of L2's slices.

#include "model/analytic/machine.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// Of so many lines that fall at random into a partition's slices, how many the fullest one has (median).
double lines_of_fullest(double lines);

// How much longer the fullest slice is busy with the first requests of the blocks that run at once than if
// the slices had equally many of them.
Seconds busiest_slice(const KernelDescription& kernel, double at_once, const Machine& machine);

// A22. What the launch asks of L2's slices, in requests of at most two sectors of a line; zero where these
// are not known.
struct SliceLoad {
  double asked = 0, busiest = 0;  // of all slices, of the busiest one
  Seconds request{};              // that a slice takes for one
  Seconds longest() const { return busiest * request; }
};
SliceLoad slice_load(const KernelDescription& kernel, const Machine& machine);

}  // namespace tilecast::analytic
