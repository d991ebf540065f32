#pragma once
// Every candidate of the baselines on every layer: checked against float64, then timed as our kernels are.

#include <iosfwd>
#include <memory>
#include <span>
#include <string>

#include "validation/baselines/baseline.hpp"
#include "validation/kernel_runner.hpp"

namespace tilecast {

struct OpenBaseline {
  std::string name;
  std::unique_ptr<Baseline> library;
};

// Candidates whose row a writer has already are not run again. A refusal of the library is a row with its
// status name, counted in `refused`; a result outside library_tolerance() counts as `wrong`.
RunTotals run_baselines(Gpu& gpu, GpuReference& reference, std::span<const OpenBaseline> baselines,
                        std::span<const SuiteLayer> layers, Writers& writers, const RunOptions& options,
                        RunMonitor& monitor, std::ostream& err);

}  // namespace tilecast
