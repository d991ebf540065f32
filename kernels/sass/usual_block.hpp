#pragma once
// Which block of a launch stands for all of them.

#include <optional>

#include "kernels/sass/execute.hpp"

namespace tilecast::sass {

// Instructions of the block's last warp, by threads that execute them; those that store count `store` times.
double work_of_last_warp(const Program& program, const Executor& executor, const BlockIndex& block,
                         double store = 1);

struct ReadBlock {
  BlockIndex at;
  std::optional<double> work;  // of its last warp, where it was asked for
};

// Of the block in the middle and the one behind it that whose last warp has more to do: one of them may be a
// remainder, where an axis of the grid counts tiles of two axes, or be spared what the other has to do, as
// where all its pixels are of one image. Of many rows of tiles not the one in the middle where that is not
// like others: there an image ends, where their number is even. Of a cluster its last block: where a
// reduction does not divide evenly, the last part has a step more than others (first_step() in gemm_tile),
// and the cluster waits for its slowest.
ReadBlock usual_block(const Program& program, const Executor& executor, const LaunchPlan& plan);

}  // namespace tilecast::sass
