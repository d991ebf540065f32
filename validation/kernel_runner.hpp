#pragma once
// Runs the work list on a GPU: check against float64 first, then time, one row appended after each.

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>

#include "kernels/runtime/gpu.hpp"
#include "validation/check_cases.hpp"
#include "validation/gpu_reference.hpp"
#include "validation/measurement_store.hpp"
#include "validation/run_monitor.hpp"
#include "validation/work_list.hpp"

namespace tilecast {

struct RunOptions {
  std::uint64_t seed = 1;
  TimingOptions timing;
  int compile_jobs = 1;
  std::string tool_version;
};

// A store for each family, by name.
using Writers = std::map<std::string, std::unique_ptr<MeasurementWriter>, std::less<>>;

// Every config of `work`. Throws CudaError when a kernel breaks the GPU's context: its row says so, and the
// next run goes on after it.
RunTotals run_kernels(Gpu& gpu, GpuReference& reference, const WorkList& work,
                      std::span<const SuiteLayer> layers, const DeviceProfile& device, Writers& writers,
                      const RunOptions& options, RunMonitor& monitor, std::ostream& err);

// Cases are checked, not timed, and nothing is stored.
struct CheckTotals {
  std::size_t right = 0, wrong = 0, infeasible = 0;
};
// Prints each case that fails to `err`, with what to run to see it again.
CheckTotals run_checks(Gpu& gpu, GpuReference& reference, std::span<const CheckCase> cases,
                       const DeviceProfile& device, const RunOptions& options, std::ostream& err);

}  // namespace tilecast
