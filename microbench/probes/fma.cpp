// FFMA: latency of one dependent chain, and FMAs a cycle and SM over resident warps x independent chains.
#include <algorithm>
#include <map>

#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

// A kernel's first round runs at the speed of instruction fetch, and whether the launch before has left the
// code in a cache differs between the two lengths: so the lengths are far apart, and a run before them is not
// counted.
constexpr unsigned shorter_rounds = 20, longer_rounds = 120;
constexpr int body = 512;  // FMAs a thread and loop round: the loop's own three instructions are below 1 %

ProbeKernel chains(const ProbeContext& context, int ilp, int fmas) {
  return load_probe(context, {"probes/fma.cu", "fma_chains", {{"ILP", ilp}, {"BODY", fmas}}});
}

}  // namespace

ProbeResult probe_fma(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const int repeats = context.quick ? 3 : 7;
  LoopBench bench(context);
  ProbeResult result;

  ProbeValue latency{"fma_latency_cycles",
                     "one warp a SM, one chain of dependent FFMA, 8 rounds of 256 and of 768 in a row: their "
                     "difference has no loop in it; median over SMs",
                     {}};
  const ProbeKernel shorter = chains(context, 1, 256), longer = chains(context, 1, 768);
  bench.cycles(longer, 1, 8);  // instruction caches
  for (int r = 0; r < repeats; ++r) {
    latency.samples.push_back(
        slope(8 * 256, bench.cycles(shorter, 1, 8), 8 * 768, bench.cycles(longer, 1, 8)));
  }
  result.values.push_back(latency);

  std::map<int, ProbeKernel> kernels;
  for (int ilp : {1, 2, 4, 8, 16})
    kernels.emplace(ilp, chains(context, ilp, body));
  ProbeTable table{
      "fma_rate_over_warps_and_ilp",
      "all SMs, unrolled chains of 512 FFMA a round (accumulator and two registers common to all "
      "chains), slope of two lengths by clock64, median over SMs, every SM's warps counted by smid",
      {},
      {1, 2, 4, 8, 16},
      {}};
  for (int warps : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64}) {
    if (warps * 32 <= gpu.max_threads_per_sm) table.rows.push_back(warps);
  }
  std::vector<std::vector<double>> samples(table.rows.size() * table.columns.size());
  for (int r = 0; r < repeats; ++r) {
    std::size_t point = 0;
    for (double warps : table.rows) {
      for (double ilp : table.columns) {
        const double rounds = bench.rounds_per_cycle(kernels.at(static_cast<int>(ilp)),
                                                     static_cast<int>(warps), shorter_rounds, longer_rounds);
        samples[point++].push_back(rounds * body * 32);
      }
    }
  }
  for (const auto& point : samples)
    table.y.push_back(median(point));
  const auto best =
      static_cast<std::size_t>(std::max_element(table.y.begin(), table.y.end()) - table.y.begin());
  result.values.push_back(
      {"fma_rate_per_cycle", "best of fma_rate_over_warps_and_ilp: " + table.method, samples[best]});
  result.tables.push_back(table);
  return result;
}

}  // namespace tilecast
