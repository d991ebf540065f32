#pragma once
// Counts of a whole launch from some of its blocks.

#include "kernels/sass/execute.hpp"

namespace tilecast::sass {

struct GridCounts {
  Counts counts;
  std::int64_t blocks = 0, executed_blocks = 0;
};

struct GridSampling {
  std::int64_t execute_all_up_to = 8;  // blocks: a grid of no more is executed in full
  // Blocks executed between two blocks of a line along x, y or z that issue the same instructions. If these
  // do so too, all blocks between are taken to; their threads, wavefronts and sectors, which vary a little
  // with the place in the tensor, are the mean of the executed ones.
  int probes = 4;
};

// Blocks of a cluster, which divide work by rank, are executed together. Along each dimension, blocks form
// runs that issue the same instructions: inner blocks, a remainder at the end, pieces of two sizes. Lines are
// bisected until both ends and the probes between them agree. Issued instructions are exact unless a run
// hides between probes; execute_all_up_to = blocks is always exact. Throws as Executor::run_warp.
GridCounts count_grid(const Executor& executor, const LaunchPlan& plan, const GridSampling& sampling = {});

}  // namespace tilecast::sass
