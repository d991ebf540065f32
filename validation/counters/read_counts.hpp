#pragma once
// What the profiler's counters should say, from the machine code alone.

#include <string_view>
#include <vector>

#include "kernels/sass/execute.hpp"

namespace tilecast {

struct ReadCount {
  std::string_view quantity;  // for people
  std::string_view counter;   // Nsight Compute's metric
  double value = 0;           // of the whole launch, in the units of the counter
  double busiest_block = 0;   // of these, the block's that issues the most instructions
};

// Every block of a launch, executed.
struct LaunchCounts {
  sass::Counts all, busiest_block;  // the first of those that issue the most instructions
};

LaunchCounts count_launch(const sass::Executor& executor, const LaunchPlan& plan);

std::vector<ReadCount> read_counts(const sass::Program& program, const LaunchCounts& counts);

}  // namespace tilecast
