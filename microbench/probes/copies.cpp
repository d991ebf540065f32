// What it costs to issue the ways from global memory: loads and stores by width, asynchronous and bulk
// copies.
#include <fmt/format.h>

#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

constexpr unsigned shorter_rounds = 16, longer_rounds = 80;
constexpr int accesses_a_round = 32;

ProbeCurve over_width(const ProbeContext& context, LoopBench& bench, std::string_view entry,
                      std::string_view key, std::string_view what) {
  const int repeats = context.quick ? 3 : 9;
  ProbeCurve curve{
      std::string(key),
      std::string(what) +
          ", lanes side by side, 16 warps on all SMs, loop of 32; cycles of an SM for one warp's "
          "access, slope of 16 and 80 rounds by clock64, median over SMs",
      {4, 8, 16},
      {}};
  for (const double bytes : curve.x) {
    const ProbeKernel kernel =
        load_probe(context, {"probes/copies.cu", entry, {{"WIDTH", static_cast<std::int64_t>(bytes)}}});
    curve.samples.push_back(
        cycles_each(bench.rates(kernel, 16, shorter_rounds, longer_rounds, repeats), accesses_a_round));
  }
  return curve;
}

ProbeCurve over_bytes(const ProbeContext& context, LoopBench& bench, int copies, std::string_view key,
                      std::string_view what) {
  const int repeats = context.quick ? 3 : 9;
  ProbeCurve curve{
      std::string(key),
      std::string(what) +
          ", one thread of each SM, from L2; cycles a copy, slope of 16 and 80 rounds by clock64, "
          "median over SMs",
      {64, 256, 1024, 4096, 16384},
      {}};
  for (const double bytes : curve.x) {
    const ProbeKernel kernel = load_probe(
        context,
        {"probes/copies.cu", "bulk_copy", {{"COPIES", copies}, {"BYTES", static_cast<std::int64_t>(bytes)}}});
    curve.samples.push_back(
        cycles_each(bench.rates(kernel, 1, shorter_rounds, longer_rounds, repeats), copies));
  }
  return curve;
}

}  // namespace

ProbeResult probe_copies(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  LoopBench bench(context);
  // A stretch of 32 accesses of 16 bytes for each of 16 warps; a block's four largest bulk copies are less.
  DeviceBuffer memory(static_cast<std::size_t>(gpu.sm_count) * 16 * 32 * 32 * 16);
  fill_random(context, memory, 9);
  bench.input(memory.address());
  ProbeResult result;
  result.curves.push_back(
      over_width(context, bench, "l1_load", "l1_load_cycles_over_width", "global loads that hit L1"));
  result.curves.push_back(over_width(context, bench, "global_store", "global_store_cycles_over_width",
                                     "global stores that stay in L2"));
  if (gpu.architecture.major < 8) {
    result.reason = "asynchronous copies exist from compute capability 8.0 on, bulk copies from 9.0";
    return result;
  }
  result.curves.push_back(
      over_width(context, bench, "async_copy", "async_copy_cycles_over_width",
                 "cp.async into shared memory (.ca, 16 bytes .cg), each round waited for"));
  if (gpu.architecture.major < 9) {
    result.reason = "bulk copies exist from compute capability 9.0 on";
    return result;
  }
  result.curves.push_back(
      over_bytes(context, bench, 1, "bulk_copy_latency_over_bytes",
                 "cp.async.bulk into shared memory, from issue until the wait on its mbarrier ends"));
  result.curves.push_back(over_bytes(context, bench, 4, "bulk_copy_cycles_over_bytes",
                                     "four cp.async.bulk into shared memory, then the wait for all of them"));
  return result;
}

}  // namespace tilecast
