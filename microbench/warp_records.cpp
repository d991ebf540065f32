#include "microbench/warp_records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

std::string spread_problem(std::span<const WarpRecord> records, int sms, int warps_per_sm) {
  std::map<unsigned long long, int> warps;
  for (const WarpRecord& record : records) {
    if (record.batches > 0) ++warps[record.sm];
  }
  if (static_cast<int>(warps.size()) != sms) {
    return fmt::format("{} SMs had work, expected {}", warps.size(), sms);
  }
  for (const auto& [sm, count] : warps) {
    if (count != warps_per_sm) return fmt::format("SM {} had {} warps, expected {}", sm, count, warps_per_sm);
  }
  return "";
}

std::map<unsigned long long, SmWork> work_by_sm(std::span<const WarpRecord> records) {
  struct Span {
    unsigned long long start = ~0ULL, end = 0, batches = 0;
  };
  std::map<unsigned long long, Span> spans;
  for (const WarpRecord& record : records) {
    if (record.batches == 0) continue;
    Span& span = spans[record.sm];
    span.start = std::min(span.start, record.start_cycle);
    span.end = std::max(span.end, record.end_cycle);
    span.batches += record.batches;
  }
  std::map<unsigned long long, SmWork> work;
  for (const auto& [sm, span] : spans) {
    work[sm] = {static_cast<double>(span.end - span.start), static_cast<double>(span.batches)};
  }
  return work;
}

double batches_per_cycle(std::span<const WarpRecord> shorter, std::span<const WarpRecord> longer) {
  const auto first = work_by_sm(shorter), second = work_by_sm(longer);
  std::vector<double> rates;
  for (const auto& [sm, work] : second) {
    const SmWork& base = first.at(sm);
    rates.push_back(slope(base.cycles, base.batches, work.cycles, work.batches));
  }
  return median(rates);
}

double batches_per_second(std::span<const WarpRecord> records) {
  unsigned long long start = ~0ULL, end = 0;
  double batches = 0;
  for (const WarpRecord& record : records) {
    if (record.batches == 0) continue;
    start = std::min(start, record.start_ns);
    end = std::max(end, record.end_ns);
    batches += static_cast<double>(record.batches);
  }
  return batches / (static_cast<double>(end - start) * 1e-9);
}

double clock_of(std::span<const WarpRecord> records) {
  std::vector<double> clocks;
  for (const WarpRecord& record : records) {
    if (record.end_ns <= record.start_ns) continue;
    clocks.push_back(static_cast<double>(record.end_cycle - record.start_cycle) /
                     static_cast<double>(record.end_ns - record.start_ns) * 1e9);
  }
  return median(clocks);
}

}  // namespace tilecast
