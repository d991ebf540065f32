// Instruction fetch: FMAs a cycle over the length of the loop they stand in, and what a taken branch costs.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/loop_bench.hpp"
#include "microbench/operand_reads.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

// Loops of one warp a scheduler, which is never kept from issuing but by its own stall counts, and by the
// branch.
void measure_branch(const ProbeContext& context, LoopBench& bench, ProbeResult& result) {
  const Architecture target = context.gpu.info().architecture;
  if (!encoding_known(target.major)) {
    result.reason =
        fmt::format("branch_cycles: {}: stall counts are read for sm_80 to sm_90 only", target.name());
    return;
  }
  constexpr int schedulers = 4;
  constexpr unsigned fewer = 200, more = 1200;
  const int repeats = context.quick ? 3 : 9;
  ProbeValue branch{
      "branch_cycles",
      "one warp a scheduler, 16 chains of FFMA in loops of 64, 128 and 256: cycles of a round beyond "
      "the stall counts in its machine code; slope of 200 and 1200 rounds by clock64, median over SMs",
      {}};
  ProbeCurve all{"cycles_beyond_stall_counts_over_loop_length", branch.method, {16, 32, 64, 128, 256}, {}};
  for (const double length : all.x) {
    const Specialisation code{
        "probes/fma.cu", "fma_chains", {{"ILP", 16}, {"BODY", static_cast<int>(length)}}};
    const CompiledCode compiled = compile_probe(context, code);
    const auto words = machine_words(compiled.cubin);
    const int stalls = stall_cycles(ffma_loop(words, target.major));
    const ProbeKernel kernel = load_compiled(context, code, compiled);
    std::vector<double> samples = bench.rates(kernel, schedulers, fewer, more, repeats);
    for (double& sample : samples)  // so far rounds a cycle
      sample = schedulers / sample - stalls;
    if (length >= 64) branch.samples.insert(branch.samples.end(), samples.begin(), samples.end());
    all.samples.push_back(std::move(samples));
  }
  result.values.push_back(std::move(branch));
  result.curves.push_back(std::move(all));
}

}  // namespace

ProbeResult probe_fetch(const ProbeContext& context) {
  const int repeats = context.quick ? 3 : 7;
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
      table.samples.push_back(
          scaled(bench.rates(kernel, static_cast<int>(warps), shorter, 4 * shorter, repeats), length * 32));
    }
  }
  ProbeResult result;
  result.tables.push_back(std::move(table));
  measure_branch(context, bench, result);
  return result;
}

}  // namespace tilecast
