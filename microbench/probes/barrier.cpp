// __syncthreads by the number of warps that meet.
#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

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
    std::vector<double> samples;
    bench.cycles(longer, warps, rounds);  // instruction caches
    for (int r = 0; r < repeats; ++r) {
      samples.push_back(slope(rounds * few, bench.cycles(shorter, warps, rounds), rounds * many,
                              bench.cycles(longer, warps, rounds)));
    }
    if (warps == 8) result.values.push_back({"barrier_cycles", "8 warps: " + curve.method, samples});
    curve.x.push_back(warps);
    curve.samples.push_back(std::move(samples));
  }
  result.curves.push_back(curve);
  return result;
}

}  // namespace tilecast
