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
  // Between two blocks of a line along x, y or z that issue the same instructions, as many are executed: if
  // these do so too, all between are taken to. Their threads, wavefronts and sectors, which the place in the
  // tensor changes a little from block to block, are those blocks' mean.
  int probes = 4;
};

// The blocks of a cluster, which divide work by their rank, are executed together. Blocks of a grid fall into
// runs along each dimension that issue the same instructions: inner ones, a remainder at the end, pieces of
// two sizes. Halving each line until both ends and what lies between agree finds the runs. Exact for issued
// instructions as long as no run hides between the probes; execute_all_up_to = blocks is exact always. Throws
// as Executor::run_warp.
GridCounts count_grid(const Executor& executor, const LaunchPlan& plan, const GridSampling& sampling = {});

}  // namespace tilecast::sass
