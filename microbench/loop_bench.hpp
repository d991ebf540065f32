#pragma once
// Runs a kernel whose warps repeat one loop body (LoopParams, WarpRecord) at two lengths on all SMs.

#include "microbench/probe_kernel.hpp"
#include "microbench/warp_records.hpp"

namespace tilecast {

class LoopBench {
 public:
  explicit LoopBench(const ProbeContext& context);

  // What the kernels get as their first address from now on; 0 until then.
  void input(std::uint64_t address) { input_ = address; }

  // Rounds a cycle and SM, all warps together: the slope of two iteration counts, median over SMs.
  // Throws Error when the warps did not spread evenly over all SMs.
  double rounds_per_cycle(const ProbeKernel& kernel, int warps_per_sm, unsigned fewer, unsigned more);

  // Cycles an SM spends on `iterations` rounds, median over SMs; start and end included.
  double cycles(const ProbeKernel& kernel, int warps_per_sm, unsigned iterations);

 private:
  std::vector<WarpRecord> run(const ProbeKernel& kernel, int warps_per_sm, unsigned iterations);

  const ProbeContext& context_;
  DeviceBuffer numbers_, records_;
  std::uint64_t input_ = 0;
};

}  // namespace tilecast
