#include "microbench/loop_bench.hpp"

#include <fmt/format.h>

#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

LoopBench::LoopBench(const ProbeContext& context) : context_(context), numbers_(fma_multipliers()) {
  const GpuInfo& gpu = context.gpu.info();
  records_ = DeviceBuffer(static_cast<std::size_t>(gpu.sm_count) * (gpu.max_threads_per_sm / 32) *
                          sizeof(WarpRecord));
}

std::vector<WarpRecord> LoopBench::launch(const ProbeKernel& kernel, const ProbeLaunch& launch,
                                          LoopWarps warps, unsigned iterations) {
  if (warps.working < warps.launched) records_.fill32(0);  // or those of the run before would be found
  stop_if_interrupted(context_);
  LaunchPlan plan = probe_plan(kernel, launch, LoopParams{iterations, 0x7fffffffU});
  plan.cluster_x = warps.cluster;
  const std::uint64_t addresses[] = {input_, numbers_.address(), records_.address()};
  context_.gpu.launch(kernel.kernel, plan, addresses);
  context_.gpu.synchronize();
  return fetch<WarpRecord>(records_, static_cast<std::size_t>(launch.blocks * launch.threads / 32));
}

std::vector<WarpRecord> LoopBench::run(const ProbeKernel& kernel, LoopWarps warps, unsigned iterations) {
  const GpuInfo& gpu = context_.gpu.info();
  const int blocks_per_sm = warps.launched > 32 ? 2 : 1;
  ProbeLaunch shape = spread(gpu, warps.launched, blocks_per_sm, kernel.static_shared_bytes);
  if (kernel.kernel.resident_blocks(shape.threads, shape.dynamic_shared_bytes) < blocks_per_sm) {
    throw Error(ExitCode::failure,
                fmt::format("{}: {} warps do not fit on one SM at once", kernel.code.key(), warps.launched));
  }
  int sms = gpu.sm_count;
  if (warps.cluster == 1) {
    auto records = launch(kernel, shape, warps, iterations);
    if (const std::string problem = spread_problem(records, sms, warps.working); !problem.empty())
      throw Error(ExitCode::failure, "warps did not spread evenly: " + problem);
    return records;
  }
  // A cluster needs its SMs in one of the GPU's partitions, whose sizes nobody tells: clusters that find no
  // place start when others end, on SMs that then have worked twice.
  auto& clusters = clusters_.try_emplace(warps.cluster, sms / warps.cluster).first->second;
  for (; clusters > 0; --clusters) {
    shape.blocks = clusters * warps.cluster;
    auto records = launch(kernel, shape, warps, iterations);
    sms = static_cast<int>(shape.blocks);
    if (spread_problem(records, sms, warps.working).empty()) return records;
  }
  throw Error(ExitCode::failure, fmt::format("clusters of {} blocks did not spread evenly", warps.cluster));
}

double LoopBench::rounds_per_cycle(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned fewer,
                                   unsigned more) {
  run(kernel, warps_per_sm, fewer);  // instruction caches
  const auto shorter = run(kernel, warps_per_sm, fewer);
  return batches_per_cycle(shorter, run(kernel, warps_per_sm, more));
}

std::vector<double> LoopBench::rates(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned fewer,
                                     unsigned more, int repeats) {
  std::vector<double> samples;
  for (int r = 0; r < repeats; ++r)
    samples.push_back(rounds_per_cycle(kernel, warps_per_sm, fewer, more));
  return samples;
}

std::vector<double> LoopBench::cycles_a_round(const ProbeKernel& kernel, LoopWarps warps_per_sm,
                                              unsigned fewer, unsigned more, int repeats) {
  cycles(kernel, warps_per_sm, fewer);  // instruction caches
  std::vector<double> samples;
  for (int r = 0; r < repeats; ++r) {
    const double shorter = cycles(kernel, warps_per_sm, fewer);
    samples.push_back(slope(fewer, shorter, more, cycles(kernel, warps_per_sm, more)));
  }
  return samples;
}

std::vector<double> LoopBench::cycles_in_a_row(InARow few, InARow many, LoopWarps warps_per_sm,
                                               unsigned rounds, int repeats) {
  cycles(many.kernel, warps_per_sm, rounds);  // instruction caches
  std::vector<double> samples;
  for (int r = 0; r < repeats; ++r) {
    const double shorter = cycles(few.kernel, warps_per_sm, rounds);
    samples.push_back(slope(static_cast<double>(rounds) * few.count, shorter,
                            static_cast<double>(rounds) * many.count,
                            cycles(many.kernel, warps_per_sm, rounds)));
  }
  return samples;
}

double LoopBench::cycles(const ProbeKernel& kernel, LoopWarps warps_per_sm, unsigned iterations) {
  std::vector<double> cycles;
  for (const auto& [sm, work] : work_by_sm(run(kernel, warps_per_sm, iterations)))
    cycles.push_back(work.cycles);
  return median(cycles);
}

}  // namespace tilecast
