// Instruction fetch: FMAs a cycle over the length of the loop they stand in.
#include <algorithm>

#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

ProbeResult probe_fetch(const ProbeContext& context) {
  const int repeats = context.quick ? 2 : 5;
  LoopBench bench(context);
  ProbeTable table{
      "fma_rate_over_loop_length",
      "all SMs, 16 chains of FFMA with two operands common to all, unrolled loop of so many FFMA "
      "(16 bytes each) and three other instructions; slope of two lengths of at least 6 rounds "
      "apart by clock64, median over SMs",
      {256, 1024, 1536, 2048, 2560, 3072, 4096, 6144, 8192, 16384},
      {4, 8, 16},
      {}};
  for (const double length : table.rows) {
    const int body = static_cast<int>(length);
    const ProbeKernel kernel =
        load_probe(context, {"probes/fma.cu", "fma_chains", {{"ILP", 16}, {"BODY", body}}});
    const unsigned shorter = std::max(2U, 8192U / static_cast<unsigned>(body));
    for (const double warps : table.columns) {
      std::vector<double> samples;
      for (int r = 0; r < repeats; ++r) {
        samples.push_back(bench.rounds_per_cycle(kernel, static_cast<int>(warps), shorter, 4 * shorter) *
                          length * 32);
      }
      table.y.push_back(median(samples));
    }
  }
  ProbeResult result;
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace tilecast
