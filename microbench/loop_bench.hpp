#pragma once
// Runs a kernel whose warps repeat one loop body (LoopParams, WarpRecord) at two lengths on all SMs.

#include <map>

#include "microbench/probe_kernel.hpp"
#include "microbench/warp_records.hpp"

namespace tilecast {

// Warps of each SM: those that are launched, and those of them that leave a record; the kernel sends the
// others home at once, so that one scheduler can be looked at alone. In clusters of so many blocks, one block
// a SM, as many clusters as are resident at once.
struct LoopWarps {
  LoopWarps(int all) : launched(all), working(all) {}  // implicit: mostly all of them work
  LoopWarps(int launched_, int working_, int cluster_ = 1)
      : launched(launched_), working(working_), cluster(cluster_) {}
  int launched, working, cluster = 1;
};

class LoopBench {
 public:
  explicit LoopBench(const ProbeContext& context);

  // What the kernels get as their first address from now on; 0 until then.
  void input(std::uint64_t address) { input_ = address; }

  // Rounds a cycle and SM, all warps together: the slope of two iteration counts, median over SMs.
  // Throws Error when the warps did not spread evenly over all SMs.
  double rounds_per_cycle(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned fewer, unsigned more);

  // Cycles an SM spends on `iterations` rounds, median over SMs; start and end included.
  double cycles(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned iterations);

 private:
  std::vector<WarpRecord> run(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned iterations);
  std::vector<WarpRecord> launch(const ProbeKernel& kernel, const ProbeLaunch& launch, LoopWarps warps,
                                 unsigned iterations);

  const ProbeContext& context_;
  DeviceBuffer numbers_, records_;
  std::uint64_t input_ = 0;
  std::map<int, std::int64_t> clusters_;  // resident at once, by their size
};

}  // namespace tilecast
