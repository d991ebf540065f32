// DRAM latency and FMA rate once more, by the host's clock: whole kernels of two lengths, so that neither the
// in-kernel clocks nor the windows of the first method are in the value. The checks compare both.
#include <fmt/format.h>

#include <chrono>

#include "microbench/footprints.hpp"
#include "microbench/plain_chase.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "microbench/warp_records.hpp"

namespace tilecast {

namespace {

template <class Work>
double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ProbeValue dram_latency(const ProbeContext& context, std::size_t footprint, int repeats) {
  constexpr unsigned fewer = 20'000, more = 100'000;
  ProbeValue value{
      "dram_latency_wall_cycles",
      fmt::format("host clock around whole chases of {} and {} loads over {} MiB, slope, times the SM "
                  "clock of a spinning kernel beside it",
                  fewer, more, footprint >> 20),
      {}};
  PlainChase chase(context, footprint, 11);
  chase.seconds_per_load(16, 1600);  // the first launch
  for (int r = 0; r < repeats; ++r)
    value.samples.push_back(chase.seconds_per_load(fewer, more) * context.gpu.sm_clock_hz());
  return value;
}

ProbeValue fma_rate(const ProbeContext& context, int repeats) {
  constexpr int warps = 32, body = 512;
  const GpuInfo& gpu = context.gpu.info();
  ProbeValue value{
      "fma_rate_wall_per_cycle",
      "host clock around whole kernels of 2000 and 10000 rounds of 512 FFMA in 8 chains, 32 warps a SM, "
      "slope over all SMs, over the SM clock of the longer kernel",
      {}};
  const ProbeKernel fma = load_probe(context, {"probes/fma.cu", "fma_chains", {{"ILP", 8}, {"BODY", body}}});
  const DeviceBuffer numbers = fma_multipliers();
  const auto count = static_cast<std::size_t>(gpu.sm_count) * warps;
  DeviceBuffer records(count * sizeof(WarpRecord));
  const auto run = [&](unsigned rounds) {
    return seconds_of([&] {
      run_probe(context, fma, spread(gpu, warps, 1), LoopParams{rounds, 0x7fffffffU}, 0, numbers.address(),
                records.address());
    });
  };
  run(2000);
  for (int r = 0; r < repeats; ++r) {
    const double shorter = run(2000), longer = run(10'000);
    const double clock = clock_of(fetch<WarpRecord>(records, count));
    const double rounds_per_s = 1 / slope(2000, shorter, 10'000, longer);
    value.samples.push_back(rounds_per_s * body * 32 * warps / clock);
  }
  return value;
}

}  // namespace

ProbeResult probe_second_methods(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const int repeats = context.quick ? 3 : 9;
  ProbeResult result;
  result.values.push_back(fma_rate(context, repeats));
  const std::size_t footprint = 6 * gpu.l2_bytes;
  result.reason = memory_problem(footprint, usable_memory(context), "dram_latency_wall_cycles: 6 x L2");
  if (result.reason.empty()) {
    result.values.push_back(dram_latency(context, footprint, repeats));
  }
  return result;
}

}  // namespace tilecast
