// FFMA: latency of one dependent chain, and FMAs a cycle and SM over resident warps x independent chains, and
// over the register tiles of a convolution.
#include <map>

#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

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

// The rate of a thread's register tile, for want of nothing but register ports: body multiply-adds in a loop
// without loads.
constexpr int tile_body = 768, taps = 3;  // 16 x 8 x 3 twice

std::vector<double> tile_rate(const ProbeContext& context, LoopBench& bench, int filters, int pixels,
                              int repeats) {
  const ProbeKernel kernel =
      load_probe(context, {"probes/register_tile.cu",
                           "register_tile",
                           {{"TILE_M", filters}, {"TILE_P", pixels}, {"TAPS", taps}, {"BODY", tile_body}}});
  std::vector<std::vector<double>> of_warps;
  for (int warps : {8, 16, 32}) {
    if (kernel.kernel.resident_blocks(warps * 32, 0) < 1) continue;  // its registers do not fit
    of_warps.push_back(
        scaled(bench.rates(kernel, warps, shorter_rounds, longer_rounds, repeats), tile_body * 32));
  }
  return of_warps[highest_median(of_warps)];
}

ProbeTable register_tiles(const ProbeContext& context, LoopBench& bench, int repeats) {
  ProbeTable table{
      "fma_rate_over_register_tile",
      "all SMs, unrolled loop of 768 FFMA, sum[m][p] += w[tap][m] x[p + tap] over three taps, all "
      "in registers of their own, no loads; slope of 20 and 120 rounds by clock64, median over "
      "SMs, best of 8, 16 and 32 warps a SM",
      {1, 2, 4, 8, 16},
      {1, 2, 4, 8},
      {}};
  for (double filters : table.rows) {
    for (double pixels : table.columns) {
      table.samples.push_back(
          tile_rate(context, bench, static_cast<int>(filters), static_cast<int>(pixels), repeats));
    }
  }
  return table;
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
  latency.samples = bench.cycles_in_a_row({shorter, 256}, {longer, 768}, 1, 8, repeats);
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
  table.samples.resize(table.rows.size() * table.columns.size());
  for (int r = 0; r < repeats; ++r) {
    std::size_t point = 0;
    for (double warps : table.rows) {
      for (double ilp : table.columns) {
        const double rounds = bench.rounds_per_cycle(kernels.at(static_cast<int>(ilp)),
                                                     static_cast<int>(warps), shorter_rounds, longer_rounds);
        table.samples[point++].push_back(rounds * body * 32);
      }
    }
  }
  result.values.push_back({"fma_rate_per_cycle", "best of fma_rate_over_warps_and_ilp: " + table.method,
                           table.samples[highest_median(table.samples)]});
  result.tables.push_back(table);
  result.tables.push_back(register_tiles(context, bench, repeats));
  return result;
}

}  // namespace tilecast
