#pragma once
// The arithmetic of timing: pure, so that it is tested without a GPU.

#include <span>
#include <vector>

#include "kernels/runtime/gpu.hpp"

namespace tilecast {

// Percentile by linear interpolation between order statistics (Hyndman and Fan 1996, type 7); `fraction` in
// [0, 1], `values` not empty and in any order.
double percentile(std::vector<double> values, double fraction);

// Median, p10 and p90 of the samples; the clock is left to the caller.
Timing summarise_samples(std::vector<double> samples_s);

// How many kernels make a replay of `target_s` when one takes `kernel_s`: at least 1, at most `limit`.
int graph_nodes(double target_s, double kernel_s, int limit);

}  // namespace tilecast
