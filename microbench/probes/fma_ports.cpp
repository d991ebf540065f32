// What register banks leave of the FMA rate: FFMAs with operands of chosen banks, and the outer products of a
// GEMM as the compiler allocates them, alone and with their shared-memory loads.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/loop_bench.hpp"
#include "microbench/operand_patch.hpp"
#include "microbench/operand_reads.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

constexpr unsigned shorter_rounds = 20, longer_rounds = 120;
constexpr int pattern_body = 512;

std::vector<double> rates(LoopBench& bench, const ProbeKernel& kernel, int warps, double ffmas, int repeats) {
  return scaled(bench.rates(kernel, warps, shorter_rounds, longer_rounds, repeats), ffmas * 32);
}

void measure_banks(const ProbeContext& context, LoopBench& bench, int repeats, ProbeResult& result) {
  const Architecture target = context.gpu.info().architecture;
  if (!encoding_known(target.major)) {
    result.reason = fmt::format("{}: the encoding of FFMA is known for sm_80 to sm_90 only", target.name());
    return;
  }
  const Specialisation code{"probes/fma_operands.cu", "fma_operands", {{"BODY", pattern_body}}};
  const CompiledCode compiled = compile_probe(context, code);
  const auto words = machine_words(compiled.cubin);
  const auto loop = ffma_loop(words, target.major);
  ProbeCurve curve{
      "fma_rate_over_bank_reads",
      "8 warps a SM, loop of 512 FFMA whose operands were exchanged in the machine code: one, two and "
      "three fresh operands of the busier of the two register banks; slope of 20 and 120 rounds by "
      "clock64, median over SMs",
      {},
      {}};
  // Read as in operand_patch.hpp. Those with a place on the curve, then those for the raw samples.
  struct Case {
    OperandPattern pattern;
    double reads;  // of the busier bank; 0: raw samples only
  };
  const Case cases[] = {
      {{"Eeo", {"Eeo"}}, 1},
      {{"eeo", {"eeo"}}, 2},
      {{"eee", {"eee"}}, 3},
      {{"EOe", {"EOe"}}, 0},
      {{"EOo", {"EOo"}}, 0},
      {{"eoo", {"eoo"}}, 0},
      {{"ooo", {"ooo"}}, 0},
      {{"Eee", {"Eee"}}, 0},
      {{"Eee_Eoo", {"Eee", "Eoo"}}, 0},
      {{"Eee_Eee_Eoo_Eoo", {"Eee", "Eee", "Eoo", "Eoo"}}, 0},
      {{"eee_ooo", {"eee", "ooo"}}, 0},
      {{"eee_eee_ooo_ooo", {"eee", "eee", "ooo", "ooo"}}, 0},
  };
  for (const Case& one : cases) {
    const CompiledCode patched{replace_code(compiled.cubin, loop, with_operands(loop, one.pattern)),
                               compiled.record};
    const ProbeKernel kernel = load_compiled(context, code, patched);
    const auto samples = rates(bench, kernel, 8, pattern_body, repeats);
    result.values.push_back({fmt::format("fma_rate_of_{}", one.pattern.name), curve.method, samples});
    if (one.reads == 0) continue;
    curve.x.push_back(one.reads);
    curve.samples.push_back(samples);
  }
  result.curves.push_back(std::move(curve));
}

int steps_of(int m, int n) {
  return std::max(4, 512 / (m * n) / 2 * 2);  // even (outer_product.cu)
}

// The best of 8 and 16 warps, where those fit.
std::vector<double> tile_rate(LoopBench& bench, const ProbeKernel& kernel, double ffmas, int repeats) {
  std::vector<std::vector<double>> of_warps;
  for (const int warps : {8, 16}) {
    if (kernel.kernel.resident_blocks(warps * 32, 0) >= 1)
      of_warps.push_back(rates(bench, kernel, warps, ffmas, repeats));
  }
  return of_warps[highest_median(of_warps)];
}

void measure_tiles(const ProbeContext& context, LoopBench& bench, int repeats, ProbeResult& result) {
  const std::string how =
      "all SMs, unrolled outer products of about 512 FFMA a round, slope of 20 and 120 rounds "
      "by clock64, median over SMs, best of 8 and 16 warps a SM; ";
  ProbeTable alone{"fma_rate_over_outer_product",
                   how + "operands two steps deep in registers, no loads",
                   {4, 8, 12, 16},
                   {4, 8},
                   {}};
  ProbeTable loading{"fma_rate_over_outer_product_loads",
                     how + "each step's operands by LDS.128 without bank conflicts, a warp 4 x 8 threads",
                     alone.rows,
                     alone.columns,
                     {}};
  ProbeTable cycles{
      "operand_cycles_over_outer_product",
      "counted in the machine code of fma_rate_over_outer_product by the rules of register banks "
      "(operand_reads.hpp), the loop's own instructions included",
      alone.rows,
      alone.columns,
      {}};
  ProbeTable cycles_loading = cycles;
  cycles_loading.key = "operand_cycles_over_outer_product_loads";
  const Architecture target = context.gpu.info().architecture;
  for (const double row : alone.rows) {
    for (const double column : alone.columns) {
      const int m = static_cast<int>(row), n = static_cast<int>(column), steps = steps_of(m, n);
      for (const int loads : {0, 1}) {
        const Specialisation code{"probes/outer_product.cu",
                                  "outer_product",
                                  {{"TILE_M", m}, {"TILE_N", n}, {"STEPS", steps}, {"LOADS", loads}}};
        const CompiledCode compiled = compile_probe(context, code);
        const ProbeKernel kernel = load_compiled(context, code, compiled);
        (loads ? loading : alone).samples.push_back(tile_rate(bench, kernel, m * n * steps, repeats));
        if (encoding_known(target.major)) {
          const auto words = machine_words(compiled.cubin);
          (loads ? cycles_loading : cycles)
              .samples.push_back({operand_reads(ffma_loop(words, target.major)).cycles});
        }
      }
    }
  }
  result.tables.push_back(std::move(alone));
  result.tables.push_back(std::move(loading));
  if (cycles.samples.empty()) return;
  result.tables.push_back(std::move(cycles));
  result.tables.push_back(std::move(cycles_loading));
}

}  // namespace

ProbeResult probe_fma_ports(const ProbeContext& context) {
  const int repeats = context.quick ? 3 : 9;
  LoopBench bench(context);
  ProbeResult result;
  measure_banks(context, bench, repeats, result);
  measure_tiles(context, bench, repeats, result);
  return result;
}

}  // namespace tilecast
