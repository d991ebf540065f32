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

  // The same, one value a repeat.
  std::vector<double> rates(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned fewer, unsigned more,
                            int repeats);

  // Cycles an SM spends on a round: the slope of two iteration counts of the median over SMs, one value a
  // repeat. For loops that do not all begin together (clusters), or that time themselves.
  std::vector<double> cycles_a_round(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned fewer,
                                     unsigned more, int repeats);

  // Cycles of one of many operations in a row: of kernels with `few` and `many` of them in each of `rounds`
  // rounds, whose difference has no loop in it. Median over SMs, one value a repeat.
  struct InARow {
    const ProbeKernel& kernel;
    int count;
  };
  std::vector<double> cycles_in_a_row(InARow few, InARow many, LoopWarps warps_per_sm, unsigned rounds,
                                      int repeats);

 private:
  // Cycles an SM spends on `iterations` rounds, median over SMs; start and end included.
  double cycles(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned iterations);
  std::vector<WarpRecord> run(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned iterations);
  std::vector<WarpRecord> launch(const ProbeKernel& kernel, const ProbeLaunch& launch, LoopWarps warps,
                                 unsigned iterations);

  const ProbeContext& context_;
  DeviceBuffer numbers_, records_;
  std::uint64_t input_ = 0;
  std::map<int, std::int64_t> clusters_;  // resident at once, by their size
};

}  // namespace tilecast
