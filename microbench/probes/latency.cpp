// Latency of one dependent load over the footprint of a random chase; from it L1, and DRAM by two clocks.
//
// Read in the sm_90 code: the chase's loop is 16 LDG.E.64, each addressed by the one before (.ca as
// STRONG.SM, .cg as STRONG.GPU), and one add, compare and branch issued behind the last of them.
#include <fmt/format.h>

#include <chrono>

#include "microbench/chase_bench.hpp"
#include "microbench/footprints.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr double kib = 1024, mib = kib * kib;
constexpr std::int64_t the_sm = 0;

// Samples of all points of the curve within [low, high].
std::vector<double> samples_between(const ProbeCurve& curve, double low, double high) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.x[i] >= low && curve.x[i] <= high)
      samples.insert(samples.end(), curve.samples[i].begin(), curve.samples[i].end());
  }
  return samples;
}

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
      bench.build(static_cast<std::size_t>(curve.x[i]) / node_bytes, node_bytes, seed);
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

// Seconds a load by the host's clock, from a short and a long chase: launch and wait cancel. Needs no clock
// of the GPU. Goes on round the ring, so that nothing is loaded twice before all has been.
std::vector<double> by_wall_clock(ChaseBench& bench, int repeats) {
  constexpr unsigned few = 8192, many = 8 * few;
  std::vector<double> seconds;
  std::size_t at = 0;
  for (int r = 0; r < repeats; ++r) {
    double took[2] = {};
    for (const unsigned steps : {few, many}) {
      const auto start = std::chrono::steady_clock::now();
      bench.chase(ChaseCache::l2, the_sm, at, {0, 16, steps - 16});
      took[steps == few ? 0 : 1] =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      at += steps;
    }
    seconds.push_back(slope(few, took[0], many, took[1]));
  }
  return seconds;
}

}  // namespace

ProbeResult probe_latency(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const auto l2 = static_cast<double>(gpu.l2_bytes);
  const std::size_t most = 8 * gpu.l2_bytes;
  if (most > gpu.dram_bytes / 10 * 8) {
    return {{}, {}, {}, fmt::format("needs {} MiB of device memory (8 x L2)", most >> 20)};
  }
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
  result.values.push_back({"dram_latency_wall_s",
                           fmt::format("the same chase over {:.0f} MiB, slope of 8192 and 65536 loads by the "
                                       "host's monotonic clock: no clock of the GPU is read",
                                       8 * l2 / mib),
                           by_wall_clock(bench, context.quick ? 5 : 9)});
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
