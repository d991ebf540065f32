// L2 by SM and by line: near and far partition. Where L2 has two partitions, each line is owned by one, and
// an SM of the other gets it through its own partition, which keeps a copy (A100 and later). So when an SM of
// one partition has stored a line, the first load of it from the other partition is served by the line's
// owner, near or far; the second load is served nearby.
//
// Read in the sm_90 code of timed_chase: between two loads of the chain stands the reading of the clock
// (CS2R.32) and, every fourth time, a store of the readings to shared memory, all issued while the load
// before is under way; every eighth load waits for two register moves more (under 10 cycles), which the near
// and the far lines share.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "microbench/access_times.hpp"
#include "microbench/chase_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr unsigned lines = 64;
constexpr std::size_t line_step = 32768;  // over 2 MiB: one page, many sets

// What one SM sees of lines that another stored.
struct SmView {
  std::vector<std::vector<double>> first_samples, near_samples;  // by line, then by repeat
  NearFarMeans means;
};

SmView view_from(ChaseBench& bench, std::int64_t writer, std::int64_t sm, int repeats) {
  SmView view;
  view.first_samples.resize(lines);
  view.near_samples.resize(lines);
  for (int r = 0; r < repeats; ++r) {
    bench.build(lines, line_step, 1, writer);
    const std::vector<double> one = bench.timed(sm, 0, lines), two = bench.timed(sm, 0, lines);
    for (std::size_t i = 0; i < lines; ++i) {
      view.first_samples[i].push_back(one[i]);
      view.near_samples[i].push_back(two[i]);
    }
  }
  view.means = near_and_far_means(view.first_samples, view.near_samples);
  return view;
}

// Positions of the cycle, by ascending address of the line.
std::vector<std::size_t> by_address(const ChaseBench& bench) {
  std::vector<std::size_t> order(lines);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return bench.offset(a) < bench.offset(b); });
  return order;
}

}  // namespace

ProbeResult probe_l2_map(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const int stride = context.quick ? 8 : 1, repeats = context.quick ? 3 : 5;
  ChaseBench bench(context, lines * line_step);
  const std::string timed = fmt::format(
      "{} lines spread over 2 MiB at random, .cg, each load of a dependent chain timed on its own", lines);
  const std::string again = timed + ", after that SM had loaded them";
  const std::string before = timed + ", first load after an SM of the other partition stored the lines";
  ProbeCurve near{"l2_latency_over_sm", again + "; mean over the lines", {}, {}};
  ProbeCurve far{"l2_far_latency_over_sm",
                 before + "; mean over those that the other partition owns (the slower of two clusters)",
                 {},
                 {}};
  ProbeCurve partition{"l2_partition_over_sm", "0: the partition of SM 0", {}, {}};
  ProbeTable map{"l2_latency_over_sm_and_line", again + "; column: byte offset of the line", {}, {}, {}};
  ProbeTable first{
      "l2_first_latency_over_sm_and_line", before + "; column: byte offset of the line", {}, {}, {}};

  // An SM that sees far lines after SM 0 stored them belongs to the other partition.
  std::optional<std::int64_t> other;
  for (std::int64_t sm = 1; sm < gpu.sm_count && !other; ++sm) {
    if (view_from(bench, 0, sm, 3).means.sees_far()) other = sm;
  }
  bench.build(lines, line_step, 1);
  const std::vector<std::size_t> order = by_address(bench);
  for (const std::size_t i : order)
    map.columns.push_back(static_cast<double>(bench.offset(i)));
  for (int sm = 0; sm < gpu.sm_count; sm += stride) {
    SmView view = view_from(bench, 0, sm, repeats);
    partition.x.push_back(sm);
    partition.samples.push_back({view.means.sees_far() ? 1.0 : 0.0});
    if (other && !view.means.sees_far()) view = view_from(bench, *other, sm, repeats);
    map.rows.push_back(sm);
    for (const std::size_t i : order) {
      map.samples.push_back(view.near_samples[i]);
      first.samples.push_back(view.first_samples[i]);
    }
    near.x.push_back(sm);
    near.samples.push_back(view.means.near);
    if (!view.means.sees_far()) continue;
    far.x.push_back(sm);
    far.samples.push_back(view.means.far);
  }
  first.rows = map.rows;
  first.columns = map.columns;

  ProbeResult result;
  const auto over_sms = [](std::string_view key, const ProbeCurve& curve) {
    ProbeValue value{
        std::string(key), fmt::format("median over {} SMs of: {}", curve.x.size(), curve.method), {}};
    for (const auto& samples : curve.samples)
      value.samples.push_back(median(samples));
    return value;
  };
  result.values = {over_sms("l2_latency_cycles", near)};
  result.curves = {near, partition};
  result.tables = {map, first};
  if (far.x.empty()) {
    result.reason =
        "l2_far_latency_cycles: from every SM the first load of a line takes as long as the second: one "
        "partition";
    return result;
  }
  result.values.push_back(over_sms("l2_far_latency_cycles", far));
  result.curves.push_back(far);
  if (far.x.size() < near.x.size()) {
    result.reason =
        fmt::format("l2_far_latency_over_sm: {} SMs see no far lines", near.x.size() - far.x.size());
  }
  return result;
}

}  // namespace tilecast
