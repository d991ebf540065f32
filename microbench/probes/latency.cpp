// Latency of one dependent load over the footprint of a random chase, and of an L2 hit by SM and by line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microbench/chase_bench.hpp"
#include "microbench/footprints.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Samples of all points of the curve within [low, high].
std::vector<double> samples_between(const ProbeCurve& curve, double low, double high) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.x[i] >= low && curve.x[i] <= high) append(samples, curve.samples[i]);
  }
  return samples;
}

constexpr double kib = 1024;

ProbeCurve over_footprint(ChaseBench& bench, const ProbeContext& context, std::vector<double>& clocks) {
  const GpuInfo& gpu = context.gpu.info();
  const auto l2 = static_cast<double>(gpu.l2_bytes);
  // The SM's memory is shared between L1 and shared memory; no L1 is larger than twice the shared part.
  const double through_l1_up_to = 2 * static_cast<double>(gpu.shared_per_sm);
  ProbeCurve curve{
      "latency_over_footprint",
      fmt::format("one thread chases pointers round a random cycle of 128-byte nodes, cycles a load "
                  "from the difference of two lengths; .ca up to {:.0f} KiB, .cg beyond; walked twice "
                  "by all SMs before; default carve-out, TLB as the footprint leaves it",
                  through_l1_up_to / kib),
      chase_footprints(static_cast<double>(gpu.shared_per_sm), l2, context.quick),
      {}};
  curve.samples.resize(curve.x.size());
  for (unsigned seed = 1; seed <= (context.quick ? 2U : 5U); ++seed) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const bool through_l1 = curve.x[i] <= through_l1_up_to;
      bench.build(static_cast<std::size_t>(curve.x[i]), seed);
      const ChaseSample sample = bench.chase(through_l1, 0, 256, 1280);
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
                   4 * l2 / kib / kib, 8 * l2 / kib / kib, chase),
       samples_between(curve, 4 * l2, 8 * l2)});

  // A quarter of L2 fits into one of two partitions, whichever SM asks.
  const std::size_t inside = gpu.l2_bytes / 4;
  const int stride = context.quick ? 8 : 1;
  ProbeCurve by_sm{"l2_latency_over_sm", "L2 hit" + chase, {}, {}};
  std::vector<double> per_sm;
  for (unsigned seed = 1; seed <= (context.quick ? 1U : 3U); ++seed) {
    bench.build(inside, seed);
    for (int sm = 0, i = 0; sm < gpu.sm_count; sm += stride, ++i) {
      const double cycles = bench.chase(false, static_cast<std::size_t>(sm) * 997, 256, 1280, sm).cycles;
      if (seed == 1) {
        by_sm.x.push_back(sm);
        by_sm.samples.emplace_back();
      }
      by_sm.samples[static_cast<std::size_t>(i)].push_back(cycles);
    }
  }
  for (const auto& samples : by_sm.samples)
    per_sm.push_back(median(samples));
  result.values.push_back(
      {"l2_latency_cycles",
       fmt::format("footprint of {} MiB, .cg, one SM after the other, median over {} SMs and "
                   "over the lines of the chase{}",
                   inside >> 20, per_sm.size(), chase),
       per_sm});

  constexpr unsigned line_count = 64;
  ProbeTable by_line{"l2_latency_over_sm_and_line", "the same line again and again, .cg", {}, {}, {}};
  bench.build_self(inside);
  for (unsigned line = 0; line < line_count; ++line)
    by_line.columns.push_back(line);
  for (int sm = 0; sm < gpu.sm_count; sm += stride) {
    by_line.rows.push_back(sm);
    append(by_line.y, bench.lines(line_count, 1, sm));
  }
  if (const auto clusters = two_clusters(by_line.y)) {
    result.values.push_back(
        {"l2_far_latency_cycles",
         fmt::format(
             "one line again and again, {} lines x {} SMs: the upper one of two clusters "
             "({:.0f} % of them; the lower one has median {:.1f} cycles), SM clock {}",
             line_count, by_line.rows.size(),
             100.0 * static_cast<double>(clusters->upper.size()) / static_cast<double>(by_line.y.size()),
             median(clusters->lower), clock),
         clusters->upper});
  }
  result.curves = {curve, by_sm};
  result.tables = {by_line};
  return result;
}

}  // namespace tilecast
