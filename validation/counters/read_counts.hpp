#pragma once
// What the profiler's counters should say, from the machine code alone.

#include <string_view>
#include <vector>

#include "kernels/sass/execute.hpp"

namespace tilecast {

struct ReadCount {
  std::string_view quantity;  // for people
  std::string_view counter;   // Nsight Compute's metric
  double value = 0;
};

// Counts of a whole launch in the units of the counters.
std::vector<ReadCount> read_counts(const sass::Program& program, const sass::Counts& counts);

}  // namespace tilecast
