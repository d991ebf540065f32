#include "microbench/loop_bench.hpp"

#include <fmt/format.h>

#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

LoopBench::LoopBench(const ProbeContext& context) : context_(context), numbers_(8) {
  const GpuInfo& gpu = context.gpu.info();
  // Multipliers of the FMA chains: near -1, so that values stay finite and flip sign at each step; and small.
  const float multipliers[2] = {-0.99999F, 1e-7F};
  numbers_.upload(multipliers, sizeof multipliers);
  records_ = DeviceBuffer(static_cast<std::size_t>(gpu.sm_count) * (gpu.max_threads_per_sm / 32) *
                          sizeof(WarpRecord));
}

std::vector<WarpRecord> LoopBench::run(const ProbeKernel& kernel, int warps_per_sm, unsigned iterations) {
  const GpuInfo& gpu = context_.gpu.info();
  const int blocks_per_sm = warps_per_sm > 32 ? 2 : 1;
  const ProbeLaunch launch = spread(gpu, warps_per_sm, blocks_per_sm, kernel.static_shared_bytes);
  if (kernel.kernel.resident_blocks(launch.threads, launch.dynamic_shared_bytes) < blocks_per_sm) {
    throw Error(ExitCode::failure,
                fmt::format("{}: {} warps do not fit on one SM at once", kernel.code.key(), warps_per_sm));
  }
  run_probe(context_, kernel, launch, LoopParams{iterations, 0x7fffffffU}, input_, numbers_.address(),
            records_.address());
  auto records = fetch<WarpRecord>(records_, static_cast<std::size_t>(gpu.sm_count * warps_per_sm));
  if (const std::string problem = spread_problem(records, gpu.sm_count, warps_per_sm); !problem.empty()) {
    throw Error(ExitCode::failure, "warps did not spread evenly: " + problem);
  }
  return records;
}

double LoopBench::rounds_per_cycle(const ProbeKernel& kernel, int warps_per_sm, unsigned fewer,
                                   unsigned more) {
  run(kernel, warps_per_sm, fewer);  // instruction caches
  const auto shorter = run(kernel, warps_per_sm, fewer);
  return batches_per_cycle(shorter, run(kernel, warps_per_sm, more));
}

double LoopBench::cycles(const ProbeKernel& kernel, int warps_per_sm, unsigned iterations) {
  std::vector<double> cycles;
  for (const auto& [sm, work] : work_by_sm(run(kernel, warps_per_sm, iterations)))
    cycles.push_back(work.cycles);
  return median(cycles);
}

}  // namespace tilecast
