// __syncthreads, and a barrier object in shared memory, by the number of warps that meet; fences.
#include <fmt/format.h>

#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

ProbeCurve mbarrier_rounds(const ProbeContext& context, LoopBench& bench, int repeats) {
  constexpr unsigned few = 64, many = 320;
  const ProbeKernel kernel = load_probe(context, {"probes/mbarrier.cu", "mbarrier_rounds", {}});
  ProbeCurve curve{
      "mbarrier_over_warps",
      "one block a SM, every thread arrives at an mbarrier and tests until its phase is over; cycles a "
      "round, the loop's four instructions included, slope of 64 and 320 rounds by clock64, median over "
      "SMs",
      {},
      {}};
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    curve.x.push_back(warps);
    curve.samples.push_back(bench.cycles_a_round(kernel, warps, few, many, repeats));
  }
  return curve;
}

// One warp a SM and its fences.
ProbeValue fences(const ProbeContext& context, LoopBench& bench, int repeats, bool behind_stores) {
  constexpr int few = 8, many = 24;
  constexpr unsigned rounds = 16;
  const auto kernel = [&](int body) {
    return load_probe(context, {"probes/barrier.cu", "fences", {{"BODY", body}, {"STORES", behind_stores}}});
  };
  const ProbeKernel shorter = kernel(few), longer = kernel(many);
  ProbeValue value{
      behind_stores ? "fence_after_store_cycles" : "fence_cycles",
      fmt::format(
          "one warp a SM, fence.acq_rel.gpu {}, 16 rounds of 8 and of 24 in a row: their difference "
          "has no loop in it; median over SMs",
          behind_stores ? "behind a store of 4 bytes a lane, both counted" : "with nothing under way"),
      bench.cycles_in_a_row({shorter, few}, {longer, many}, 1, rounds, repeats)};
  return value;
}

}  // namespace

ProbeResult probe_barrier(const ProbeContext& context) {
  constexpr int few = 64, many = 192;
  constexpr unsigned rounds = 16;
  const int repeats = context.quick ? 5 : 15;
  LoopBench bench(context);
  const ProbeKernel shorter = load_probe(context, {"probes/barrier.cu", "barriers", {{"BODY", few}}});
  const ProbeKernel longer = load_probe(context, {"probes/barrier.cu", "barriers", {{"BODY", many}}});
  ProbeCurve curve{
      "barrier_over_warps",
      "one block a SM, 16 rounds of 64 and of 192 barriers in a row: their difference has no loop in it; "
      "median over SMs",
      {},
      {}};
  ProbeResult result;
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    std::vector<double> samples =
        bench.cycles_in_a_row({shorter, few}, {longer, many}, warps, rounds, repeats);
    if (warps == 8) result.values.push_back({"barrier_cycles", "8 warps: " + curve.method, samples});
    curve.x.push_back(warps);
    curve.samples.push_back(std::move(samples));
  }
  // Warps that come later than the eighth: the ones before also wait for the barrier itself.
  const std::size_t eight = 3, most = 5;
  result.values.push_back({"barrier_arrival_cycles", "slope from 8 to 32 warps: " + curve.method,
                           slopes(curve.x[eight], curve.samples[eight], curve.x[most], curve.samples[most])});
  result.curves.push_back(std::move(curve));
  DeviceBuffer target(static_cast<std::size_t>(context.gpu.info().sm_count) * 32 * sizeof(float));
  bench.input(target.address());
  for (const bool behind_stores : {false, true})
    result.values.push_back(fences(context, bench, repeats, behind_stores));
  if (context.gpu.info().architecture.major < 8) {
    result.reason = "barrier objects (mbarrier) exist from compute capability 8.0 on";
    return result;
  }
  result.curves.push_back(mbarrier_rounds(context, bench, repeats));
  return result;
}

}  // namespace tilecast
