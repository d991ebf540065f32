// What address translation adds: the same number of lines spread over more and more memory. While they fit
// into L2 and were loaded before, only the TLBs see the difference; flushed from L2 first, each is a DRAM
// access with or without a TLB miss. The kernel is the chase of the latency probe.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/chase_bench.hpp"
#include "microbench/footprints.hpp"
#include "microbench/memory_reduction.hpp"
#include "microbench/probes/probes.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr std::size_t mib = 1 << 20;
// The driver maps device memory in pages of 2 MiB (Jia et al. 2018, section 3.9): up to 16 MiB are eight.
constexpr std::size_t page = 2 * mib, least_span = 2 * page, hit_span = 8 * page;

// Enough lines that a window of 2048 loads meets none twice, and one in each page.
std::size_t nodes_over(std::size_t span) {
  return std::max<std::size_t>(4096, span / page);
}

// All memory that can be had (quick: 8 GiB) but what the flush needs, in whole GiB or pages.
std::size_t most_span(const ProbeContext& context) {
  constexpr std::size_t gib = 1024 * mib;
  const std::size_t usable = usable_memory(context), flush = 4 * context.gpu.info().l2_bytes;
  const std::size_t limit = std::min(usable - std::min(flush, usable), context.quick ? 8 * gib : usable);
  const std::size_t unit = limit < 4 * gib ? page : gib;
  return limit / unit * unit;
}

ChaseBench largest_bench(const ProbeContext& context, std::size_t& span) {
  for (;; span = span / 2 / page * page) {  // another process may hold a part
    try {
      ChaseBench bench(context, span);
      bench.flush();  // needs memory too
      return bench;
    } catch (const CudaError&) {
      if (span / 2 < 16 * hit_span) throw;
    }
  }
}

}  // namespace

ProbeResult probe_tlb(const ProbeContext& context) {
  std::size_t most = most_span(context);
  // Enough that the largest span is no hit span.
  const std::size_t flush = 4 * context.gpu.info().l2_bytes;
  if (auto problem = memory_problem(16 * hit_span + flush, most + flush, "spans of many pages, and 4 x L2");
      !problem.empty())
    return {{}, {}, {}, std::move(problem)};
  ChaseBench bench = largest_bench(context, most);
  const int repeats = context.quick ? 3 : 5;
  constexpr std::int64_t sm = 0;
  const std::string spread = fmt::format(
      "one thread of SM {} chases round a random cycle of {} lines (one in each page of 2 MiB where that is "
      "more) spread evenly over the span, .cg, slope of two lengths",
      sm, nodes_over(0));
  ProbeCurve l2{"l2_latency_over_span", spread + "; lines in L2, the cycle walked before", {}, {}};
  ProbeCurve dram{"dram_latency_over_span",
                  spread + "; L2 emptied before by reading 4 x its size, 512 loads before the first window",
                  {},
                  {}};
  for (std::size_t span = least_span; span < most; span *= 2)
    l2.x.push_back(static_cast<double>(span));
  l2.x.push_back(static_cast<double>(most));
  dram.x = l2.x;
  l2.samples.resize(l2.x.size());
  dram.samples.resize(dram.x.size());
  for (int r = 0; r < repeats; ++r) {
    for (std::size_t i = 0; i < l2.x.size(); ++i) {
      const auto span = static_cast<std::size_t>(l2.x[i]);
      const auto nodes = static_cast<unsigned>(nodes_over(span));
      bench.build(nodes, span / nodes / node_bytes * node_bytes, static_cast<unsigned>(r) + 1);
      l2.samples[i].push_back(bench.chase(ChaseCache::l2, sm, 0, {nodes, 512, nodes}).cycles);
      bench.flush();
      dram.samples[i].push_back(bench.chase(ChaseCache::l2, sm, 0, {512, 256, 2048}).cycles);
    }
  }
  ProbeResult result;
  ProbeValue hit{"dram_latency_tlb_hit_cycles",
                 fmt::format("spans of {} to {} MiB of dram_latency_over_span: {}", least_span / mib,
                             hit_span / mib, dram.method),
                 samples_between(dram, 0, hit_span)};
  ProbeValue miss{
      "dram_latency_tlb_miss_cycles",
      fmt::format("a span of {} MiB, the largest of dram_latency_over_span: {}", most / mib, dram.method),
      dram.samples.back()};
  result.values = {hit};
  if (median(miss.samples) > median(hit.samples)) {
    result.values.push_back(miss);
  } else {
    result.reason =
        fmt::format("dram_latency_tlb_miss_cycles: {} MiB are no slower than {}: no TLB miss seen",
                    most / mib, hit_span / mib);
  }
  result.curves = {l2, dram};
  return result;
}

}  // namespace tilecast
