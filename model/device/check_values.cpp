// Rules on single values and on the order of several.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/device/check_rules.hpp"

namespace tilecast::rules {

namespace {

// Two plateaus measured apart by medians of a noisy device: a rate may pass its physical peak by this much.
constexpr double rate_tolerance = 0.01;

}  // namespace

void Judge::absent(std::string_view key) {
  if (std::ranges::find(outcome_.absent, key) == outcome_.absent.end()) outcome_.absent.emplace_back(key);
}

std::optional<double> Judge::value(std::string_view key) {
  const ParameterRow* row = find_parameter(key);
  const auto found = row ? row->get(device_) : std::nullopt;
  if (!found) absent(key);
  return found;
}

const Curve* Judge::curve(std::string_view key) {
  for (const auto& row : curve_rows()) {
    if (row.key == key && (device_.*row.member).present()) return &(device_.*row.member);
  }
  absent(key);
  return nullptr;
}

const Table2D* Judge::table(std::string_view key) {
  for (const auto& row : table_rows()) {
    if (row.key == key && (device_.*row.member).present()) return &(device_.*row.member);
  }
  absent(key);
  return nullptr;
}

void Judge::expect_less(std::string_view low, std::string_view high, bool strict) {
  const auto a = value(low), b = value(high);
  if (!a || !b) return;
  judged();
  if (strict ? *a >= *b : *a > *b)
    violation(fmt::format("{} = {} is not {} {} = {}", low, *a, strict ? "below" : "at most", high, *b));
}

void Judge::expect_below(std::string_view what, double found, std::string_view peak_name, double peak,
                         std::string_view why) {
  judged();
  if (found > peak * (1 + rate_tolerance))
    violation(fmt::format("{} = {} is above {} = {}{}{}{}", what, found, peak_name, peak,
                          why.empty() ? "" : " (", why, why.empty() ? "" : ")"));
}

CheckOutcome plausible_range(const DeviceProfile& device) {
  Judge judge(device);
  for (const auto& row : parameter_rows()) {
    const auto v = row.get(device);
    if (!v) continue;
    judge.judged();
    if (*v < row.minimum || *v > row.maximum)
      judge.violation(
          fmt::format("{} = {} {} lies outside {} .. {}", row.key, *v, row.unit, row.minimum, row.maximum));
  }
  return std::move(judge).outcome();
}

CheckOutcome interval_contains_value(const DeviceProfile& device) {
  Judge judge(device);
  for (const auto& row : parameter_rows()) {
    const auto v = row.get(device);
    const auto& info = row.info(device);
    if (!v || !info.low || !info.high) continue;
    judge.judged();
    if (*v < *info.low || *v > *info.high)
      judge.violation(
          fmt::format("{} = {} lies outside its interval [{}, {}]", row.key, *v, *info.low, *info.high));
  }
  const auto points = [&](std::string_view key, const auto& measured, auto place) {
    for (std::size_t i = 0; i < measured.y_low.size() && i < measured.y_high.size(); ++i) {
      judge.judged();
      if (measured.y[i] < measured.y_low[i] || measured.y[i] > measured.y_high[i])
        judge.violation(fmt::format("{}: y = {} at {} lies outside its interval [{}, {}]", key, measured.y[i],
                                    place(i), measured.y_low[i], measured.y_high[i]));
    }
  };
  for (const auto& row : curve_rows()) {
    const Curve& curve = device.*row.member;
    points(row.key, curve, [&](std::size_t i) { return fmt::format("x = {}", curve.x[i]); });
  }
  for (const auto& row : table_rows()) {
    const Table2D& table = device.*row.member;
    points(row.key, table, [&](std::size_t i) {
      return fmt::format("{} x {}", table.rows[i / table.columns.size()],
                         table.columns[i % table.columns.size()]);
    });
  }
  return std::move(judge).outcome();
}

// What is counted has no spread; its method says that it is a count. Limits are the driver's. A quick run may
// have too few repeats.
CheckOutcome interval_is_known(const DeviceProfile& device) {
  Judge judge(device);
  const auto in_full = [&](const Provenance& provenance) {
    return provenance.kind == SourceKind::measured &&
           std::ranges::any_of(device.runs, [&](const MeasurementRun& run) {
             return run.id == provenance.run && !run.quick;
           });
  };
  for (const auto& row : parameter_rows()) {
    const auto& info = row.info(device);
    if (!row.get(device) || !in_full(info.provenance) || row.integer || row.probe.empty()) continue;
    judge.judged();
    if (!info.low) judge.violation(fmt::format("{} was measured but has no interval", row.key));
  }
  const auto points = [&](std::string_view key, const auto& measured) {
    if (!measured.present() || !in_full(measured.provenance)) return;
    judge.judged();
    if (measured.y_low.empty() && measured.provenance.source.find("count") == std::string::npos)
      judge.violation(fmt::format("{} was measured, not counted, but has no intervals", key));
  };
  for (const auto& row : curve_rows())
    points(row.key, device.*row.member);
  for (const auto& row : table_rows())
    points(row.key, device.*row.member);
  return std::move(judge).outcome();
}

CheckOutcome limits_fit(const DeviceProfile& device) {
  Judge judge(device);
  judge.expect_less("max_threads_per_block", "max_threads_per_sm", false);
  judge.expect_less("shared_per_block_bytes", "shared_per_sm_bytes", false);
  judge.expect_less("max_registers_per_thread", "registers_per_sm", true);
  judge.expect_less("l2_size_bytes", "dram_size_bytes", true);
  judge.expect_less("l2_effective_bytes", "l2_size_bytes", false);
  return std::move(judge).outcome();
}

CheckOutcome clock_order(const DeviceProfile& device) {
  Judge judge(device);
  judge.expect_less("base_clock_hz", "boost_clock_hz", false);
  return std::move(judge).outcome();
}

CheckOutcome latency_order(const DeviceProfile& device) {
  Judge judge(device);
  // Shared memory and L1 are one memory since Volta: either may answer first by a cycle or two, so only their
  // place below L2 is judged.
  judge.expect_less("l1_latency_cycles", "l2_latency_cycles", true);
  judge.expect_less("shared_latency_cycles", "l2_latency_cycles", true);
  judge.expect_less("l2_latency_cycles", "l2_far_latency_cycles", false);
  judge.expect_less("l2_far_latency_cycles", "dram_latency_cycles", true);
  judge.expect_less("l2_latency_cycles", "dram_latency_cycles", true);
  judge.expect_less("l2_far_latency_cycles", "dram_latency_tlb_hit_cycles", true);
  judge.expect_less("dram_latency_tlb_hit_cycles", "dram_latency_tlb_miss_cycles", false);
  judge.expect_less("shared_latency_cycles", "cluster_shared_latency_cycles", true);
  return std::move(judge).outcome();
}

// A footprint inside L2 gives L2's latency whatever it is called (hipfire#490 and others).
CheckOutcome footprint_covers_l2(const DeviceProfile& device) {
  Judge judge(device);
  const auto l2 = judge.value("l2_size_bytes"), l2_latency = judge.value("l2_latency_cycles");
  const auto dram_latency = judge.value("dram_latency_cycles");
  const Curve* curve = judge.curve("latency_over_footprint");
  if (!l2 || !curve || !l2_latency || !dram_latency) return std::move(judge).outcome();
  judge.judged();
  if (curve->x.back() < 4 * *l2)
    judge.violation(
        fmt::format("latency_over_footprint ends at {} bytes, below 4 x l2_size_bytes = {} (hits in L2 "
                    "are left in its last points)",
                    curve->x.back(), 4 * *l2));
  // At 4 x L2 and random order a quarter of the loads at most still hits.
  judge.judged();
  const double least = *l2_latency + 0.5 * (*dram_latency - *l2_latency);
  if (curve->y.back() < least)
    judge.violation(
        fmt::format("latency_over_footprint ends with {} cycles, less than half the way from "
                    "l2_latency_cycles = {} to dram_latency_cycles = {}",
                    curve->y.back(), *l2_latency, *dram_latency));
  return std::move(judge).outcome();
}

CheckOutcome runs_are_known(const DeviceProfile& device) {
  Judge judge(device);
  std::set<std::string_view> known;
  for (const MeasurementRun& run : device.runs)
    known.insert(run.id);
  const auto look = [&](std::string_view key, const Provenance& provenance) {
    if (provenance.run.empty()) return;
    judge.judged();
    if (!known.contains(provenance.run))
      judge.violation(
          fmt::format("{} was measured by run '{}', which the profile has not", key, provenance.run));
  };
  for (const auto& row : parameter_rows()) {
    if (row.get(device)) look(row.key, row.info(device).provenance);
  }
  for (const auto& row : curve_rows())
    look(row.key, (device.*row.member).provenance);
  for (const auto& row : table_rows())
    look(row.key, (device.*row.member).provenance);
  return std::move(judge).outcome();
}

}  // namespace tilecast::rules
