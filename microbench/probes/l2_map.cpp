// L2 by SM and by line: near and far partition. Where L2 has two partitions, each line is owned by one, and
// an SM of the other gets it through its own partition, which keeps a copy (A100 and later). So the first
// load after the line was written goes to its owner, near or far; the second is served nearby.
//
// Read in the sm_90 code of timed_chase: between two loads of the chain stands the reading of the clock
// (CS2R.32) and, every fourth time, a store of the readings to shared memory, all issued while the load
// before is under way; every eighth load waits for two register moves more (under 10 cycles), which the near
// and the far lines share.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "microbench/access_times.hpp"
#include "microbench/chase_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr unsigned lines = 128;
// Odd multiple of a line apart on average, over 2 MiB: one page, many sets.
constexpr std::size_t line_step = 16384;

struct SmView {
  std::vector<double> near, first;  // by line, medians over repeats
  std::vector<double> far;          // of its far lines
};

SmView view_from(ChaseBench& bench, std::int64_t sm, int repeats) {
  std::vector<std::vector<double>> first(lines), second(lines);
  for (int r = 0; r < repeats; ++r) {
    bench.build(lines, line_step, 1);
    const std::vector<double> one = bench.timed(sm, 0, lines), two = bench.timed(sm, 0, lines);
    for (std::size_t i = 0; i < lines; ++i) {
      first[i].push_back(one[i]);
      second[i].push_back(two[i]);
    }
  }
  SmView view;
  for (std::size_t i = 0; i < lines; ++i) {
    view.first.push_back(median(first[i]));
    view.near.push_back(median(second[i]));
  }
  view.far = near_and_far(view.first, view.near).far;
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
  ChaseBench bench(context, std::max(lines * line_step, gpu.l2_bytes / 8));
  const std::string timed = fmt::format(
      "{} lines spread over 2 MiB at random, .cg, each load of a dependent chain timed on its own", lines);
  const std::string again = timed + ", after that SM had loaded them";
  ProbeCurve near{"l2_latency_over_sm", again + "; mean over the lines", {}, {}};
  ProbeCurve far{
      "l2_far_latency_over_sm",
      timed +
          ", first load after the lines were written: those of the slower of two clusters; mean over them",
      {},
      {}};
  ProbeTable map{"l2_latency_over_sm_and_line", again + "; column: byte offset of the line", {}, {}, {}};
  ProbeTable first{"l2_first_latency_over_sm_and_line",
                   "first load after the line was written; column: byte offset",
                   {},
                   {},
                   {}};
  ProbeValue all_near{"l2_latency_cycles", "median over SMs of: " + near.method, {}};
  ProbeValue all_far{"l2_far_latency_cycles", "median over SMs of: " + far.method, {}};
  std::vector<std::size_t> order;
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  int without_far = 0;
  for (int sm = 0; sm < gpu.sm_count; sm += stride) {
    const SmView view = view_from(bench, sm, repeats);
    if (order.empty()) {
      order = by_address(bench);
      for (const std::size_t i : order)
        map.columns.push_back(static_cast<double>(bench.offset(i)));
    }
    map.rows.push_back(sm);
    for (const std::size_t i : order) {
      map.y.push_back(view.near[i]);
      first.y.push_back(view.first[i]);
    }
    near.x.push_back(sm);
    near.samples.push_back({mean(view.near)});
    all_near.samples.push_back(mean(view.near));
    if (view.far.empty()) {
      ++without_far;
      continue;
    }
    far.x.push_back(sm);
    far.samples.push_back({mean(view.far)});
    all_far.samples.push_back(mean(view.far));
  }
  first.rows = map.rows;
  first.columns = map.columns;

  ProbeResult result;
  result.values = {all_near};
  result.curves = {near};
  result.tables = {map, first};
  if (far.x.empty()) {
    result.reason =
        "l2_far_latency_cycles: the first load of a line takes as long as the second from every SM: one "
        "partition";
  } else {
    result.values.push_back(all_far);
    result.curves.push_back(far);
    if (without_far > 0)
      result.reason = fmt::format("l2_far_latency_over_sm: no far lines seen from {} SMs", without_far);
  }
  return result;
}

}  // namespace tilecast
