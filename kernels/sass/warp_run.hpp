#pragma once
// One warp's way through a prepared program.

#include <vector>

#include "kernels/sass/execute.hpp"
#include "kernels/sass/l1_hits.hpp"
#include "kernels/sass/memory_access.hpp"
#include "kernels/sass/micro_op.hpp"
#include "kernels/sass/shared_words.hpp"
#include "kernels/sass/slice.hpp"

namespace tilecast::sass {

// What is calculated of a block, in order; all else of it is only counted.
struct PreparedBlock {
  struct Step {
    int instruction = 0;
    bool plain = false;  // by all threads, and its result is all that it does
  };
  std::vector<Step> steps;
};

struct PreparedProgram {
  const Program* program = nullptr;
  std::vector<MicroOp> ops;
  std::vector<PreparedBlock> blocks;
  Slice slice;
  int accesses = 0;  // instructions that access memory
  std::int64_t threads = 32;
  std::int64_t cluster = 1;  // blocks of a cluster, neighbours in x
};

// What the executions of a run add up to.
struct RunCounts {
  std::vector<double> block_visits, block_threads;
  std::vector<InstructionCount> steps;  // of guarded instructions and memory accesses
  std::vector<ByteRange>* stored = nullptr;
  LoadLog* loads = nullptr;
  SharedWords* words = nullptr;  // of the block, where it has tables
  FollowedLoops* loops = nullptr;
  bool costs = true;  // of accesses, too
};

// Throws as Executor::run_warp.
void run_warp(const PreparedProgram& prepared, BlockIndex block, int warp, RunCounts& counts,
              std::vector<Visit>* path);

}  // namespace tilecast::sass
