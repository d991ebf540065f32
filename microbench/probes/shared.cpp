// Shared memory: latency of a dependent 4-byte load, and bytes a cycle of 16-byte loads without conflicts.
#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

ProbeResult probe_shared(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const int repeats = context.quick ? 5 : 15;
  ProbeResult result;

  ProbeValue latency{
      "shared_latency_cycles",
      "one thread chases 4-byte pointers round a random cycle of 1024 words, slope of two lengths",
      {}};
  const ProbeKernel chase = load_probe(context, {"probes/shared.cu", "shared_chase", {}});
  DeviceBuffer record(sizeof(ChaseRecord));
  ChaseParams params{};
  params.short_steps = 256;
  params.long_steps = 2304;
  for (int r = 0; r < repeats; ++r) {
    run_probe(context, chase, {1, 128}, params, 0, 0, record.address());
    const ChaseRecord found = fetch<ChaseRecord>(record, 1).front();
    latency.samples.push_back(slope(params.short_steps, static_cast<double>(found.short_cycles),
                                    params.long_steps, static_cast<double>(found.long_cycles)));
  }
  result.values.push_back(latency);

  constexpr double bytes_a_round = 32 * 32 * 16;  // 32 loads of 16 bytes by each of a warp's 32 threads
  ProbeCurve curve{
      "shared_read_over_warps",
      "LDS.128 without bank conflicts on all SMs, slope of two lengths by clock64, median over SMs",
      {},
      {}};
  const ProbeKernel read = load_probe(context, {"probes/shared.cu", "shared_read", {}});
  LoopBench bench(context);
  for (int warps : {1, 2, 4, 8, 16, 32, 64}) {
    if (warps * 32 > gpu.max_threads_per_sm) continue;
    curve.x.push_back(warps);
    curve.samples.push_back(scaled(bench.rates(read, warps, 8, 40, repeats), bytes_a_round));
  }
  result.values.push_back({"shared_read_bytes_per_cycle", "best number of warps: " + curve.method,
                           curve.samples[highest_median(curve.samples)]});
  result.curves.push_back(curve);
  return result;
}

}  // namespace tilecast
