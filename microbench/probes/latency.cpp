// Latency of one dependent load over the footprint of a random chase; from it L1 and DRAM.
//
// Read in the sm_90 code: the chase's loop is 16 LDG.E.64, each addressed by the one before (.ca as
// STRONG.SM, .cg as STRONG.GPU), and one add, compare and branch issued behind the last of them.
#include <fmt/format.h>

#include "microbench/chase_bench.hpp"
#include "microbench/footprints.hpp"
#include "microbench/memory_reduction.hpp"
#include "microbench/probes/probes.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr double kib = 1024, mib = kib * kib;
constexpr std::int64_t the_sm = 0;

ProbeCurve over_footprint(ChaseBench& bench, const ProbeContext& context, std::vector<double>& clocks) {
  const GpuInfo& gpu = context.gpu.info();
  // The SM's memory is shared between L1 and shared memory; no L1 is larger than twice the shared part.
  const double through_l1_up_to = 2 * static_cast<double>(gpu.shared_per_sm);
  ProbeCurve curve{
      "latency_over_footprint",
      fmt::format(
          "one thread of SM {} chases pointers round a random cycle of 128-byte nodes, cycles a load "
          "from the difference of two lengths; .ca up to {:.0f} KiB, .cg beyond; walked twice by that "
          "SM before; default carve-out, TLB as the footprint leaves it",
          the_sm, through_l1_up_to / kib),
      chase_footprints(static_cast<double>(gpu.shared_per_sm), static_cast<double>(gpu.l2_bytes),
                       context.quick),
      {}};
  curve.samples.resize(curve.x.size());
  for (unsigned seed = 1; seed <= (context.quick ? 3U : 7U); ++seed) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const bool through_l1 = curve.x[i] <= through_l1_up_to;
      bench.build(static_cast<std::size_t>(curve.x[i]), seed);
      bench.warm(the_sm, 2);
      ChaseSteps steps;
      // What other loads left in L1 is of no use to .ca: the chase itself goes round once.
      if (through_l1) steps.warm = static_cast<unsigned>((bench.nodes() + 15) / 16 * 16);
      const ChaseSample sample = bench.chase(through_l1 ? ChaseCache::l1 : ChaseCache::l2, the_sm, 0, steps);
      curve.samples[i].push_back(sample.cycles);
      if (sample.sm_clock_hz > 0) clocks.push_back(sample.sm_clock_hz);
    }
  }
  return curve;
}

}  // namespace

ProbeResult probe_latency(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const auto l2 = static_cast<double>(gpu.l2_bytes);
  const std::size_t most = 8 * gpu.l2_bytes;
  if (auto problem = memory_problem(most, usable_memory(context), "8 x L2"); !problem.empty())
    return {{}, {}, {}, std::move(problem)};
  ChaseBench bench(context, most);
  ProbeResult result;
  std::vector<double> clocks;
  const ProbeCurve curve = over_footprint(bench, context, clocks);
  const std::string clock =
      clocks.empty() ? std::string("unknown") : fmt::format("{:.0f} MHz", median(clocks) * 1e-6);
  const std::string chase = ", random chase, slope of two lengths, SM clock " + clock;
  result.values.push_back({"l1_latency_cycles", "footprints of 8 to 64 KiB, .ca" + chase,
                           samples_between(curve, 8 * kib, 64 * kib)});
  result.values.push_back(
      {"dram_latency_cycles",
       fmt::format("footprints of 4 to 8 x L2 ({:.0f} to {:.0f} MiB), .cg, TLB misses of such "
                   "footprints included{}",
                   4 * l2 / mib, 8 * l2 / mib, chase),
       samples_between(curve, 4 * l2, 8 * l2)});
  // The last ring of the curve, 8 x L2, is still there.
  ProbeCurve single{"dram_access_quantiles",
                    "the same chase, each load timed by the clock behind the next one's issue; x: quantile",
                    {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99},
                    {}};
  single.samples.resize(single.x.size());
  for (std::size_t r = 0; r < 5; ++r) {
    const std::vector<double> times = bench.timed(the_sm, (r + 1) * 800'000, 2048);
    for (std::size_t q = 0; q < single.x.size(); ++q)
      single.samples[q].push_back(quantile(times, single.x[q]));
  }
  result.curves = {curve, single};
  return result;
}

}  // namespace tilecast
