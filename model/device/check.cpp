#include "model/device/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "model/device/parameters.hpp"

namespace tilecast {

namespace {

using Violations = std::vector<std::string>;

// Two plateaus measured apart by medians of a noisy device: a rate may pass its physical peak by this much.
constexpr double rate_tolerance = 0.01;
// Effective latency of bandwidth at few bytes in flight against the chase: plain loads agree within about
// 20 % on published devices (the address arithmetic and the loop add to it); a little room beyond that.
constexpr double slope_tolerance = 0.25;
// The same chase, as a bound on every point of the bandwidth curve: bytes in flight cannot return faster than
// an idle memory answers. Latency over TLB states and partitions spreads by about this much.
constexpr double little_tolerance = 0.15;

std::optional<double> value(const DeviceProfile& device, std::string_view key) {
  return find_parameter(key)->get(device);
}

void expect_less(const DeviceProfile& device, std::string_view low, std::string_view high, bool strict,
                 Violations& out) {
  const auto a = value(device, low), b = value(device, high);
  if (!a || !b) return;
  if (strict ? *a >= *b : *a > *b)
    out.push_back(fmt::format("{} = {} is not {} {} = {}", low, *a, strict ? "below" : "at most", high, *b));
}

Violations plausible_range(const DeviceProfile& device) {
  Violations out;
  for (const auto& row : parameter_rows()) {
    const auto v = row.get(device);
    if (v && (*v < row.minimum || *v > row.maximum))
      out.push_back(
          fmt::format("{} = {} {} lies outside {} .. {}", row.key, *v, row.unit, row.minimum, row.maximum));
  }
  return out;
}

Violations interval_contains_value(const DeviceProfile& device) {
  Violations out;
  for (const auto& row : parameter_rows()) {
    const auto v = row.get(device);
    const auto& info = row.info(device);
    if (v && info.low && info.high && (*v < *info.low || *v > *info.high))
      out.push_back(
          fmt::format("{} = {} lies outside its interval [{}, {}]", row.key, *v, *info.low, *info.high));
  }
  for (const auto& row : curve_rows()) {
    const Curve& curve = device.*row.member;
    for (std::size_t i = 0; i < curve.y_low.size() && i < curve.y_high.size(); ++i) {
      if (curve.y[i] < curve.y_low[i] || curve.y[i] > curve.y_high[i])
        out.push_back(fmt::format("{}: y = {} at x = {} lies outside its interval [{}, {}]", row.key,
                                  curve.y[i], curve.x[i], curve.y_low[i], curve.y_high[i]));
    }
  }
  return out;
}

Violations latency_order(const DeviceProfile& device) {
  Violations out;
  expect_less(device, "l1_latency_cycles", "l2_latency_cycles", true, out);
  expect_less(device, "shared_latency_cycles", "l2_latency_cycles", true, out);
  expect_less(device, "l2_latency_cycles", "l2_far_latency_cycles", false, out);
  expect_less(device, "l2_far_latency_cycles", "dram_latency_cycles", true, out);
  expect_less(device, "l2_latency_cycles", "dram_latency_cycles", true, out);
  return out;
}

Violations clock_order(const DeviceProfile& device) {
  Violations out;
  expect_less(device, "base_clock_hz", "boost_clock_hz", false, out);
  return out;
}

Violations dram_below_peak(const DeviceProfile& device) {
  Violations out;
  const auto peak = value(device, "dram_peak_bytes_per_s");
  if (!peak) return out;
  const auto judge = [&](std::string_view what, double rate) {
    if (rate > *peak * (1 + rate_tolerance))
      out.push_back(fmt::format("{} = {} is above dram_peak_bytes_per_s = {} (bytes served by a cache?)",
                                what, rate, *peak));
  };
  for (const std::string_view key :
       {"dram_read_bytes_per_s", "dram_write_bytes_per_s", "dram_copy_bytes_per_s"}) {
    if (const auto rate = value(device, key)) judge(key, *rate);
  }
  for (const auto* curve :
       {&device.dram_read_over_bytes_in_flight, &device.dram_write_over_bytes_in_flight}) {
    if (curve->present()) judge("a point of a DRAM curve", *std::ranges::max_element(curve->y));
  }
  return out;
}

Violations fma_below_lanes(const DeviceProfile& device) {
  Violations out;
  const auto lanes = value(device, "fp32_lanes_per_sm");
  if (!lanes) return out;
  const auto judge = [&](std::string_view what, double rate) {
    if (rate > *lanes * (1 + rate_tolerance))
      out.push_back(fmt::format("{} = {} FMA/cycle is above fp32_lanes_per_sm = {}", what, rate, *lanes));
  };
  if (const auto rate = value(device, "fma_rate_per_cycle")) judge("fma_rate_per_cycle", *rate);
  const auto judge_table = [&](std::string_view what, const Table2D& table) {
    if (table.present()) judge(what, *std::ranges::max_element(table.y));
  };
  judge_table("a point of fma_rate_over_warps_and_ilp", device.fma_rate_over_warps_and_ilp);
  judge_table("a point of fma_rate_over_register_tile", device.fma_rate_over_register_tile);
  return out;
}

// W warps with I independent chains each have 32 W I FMAs in flight; each takes the FMA latency (Little).
Violations fma_rate_agrees_with_latency(const DeviceProfile& device) {
  Violations out;
  const auto latency = value(device, "fma_latency_cycles");
  const auto& table = device.fma_rate_over_warps_and_ilp;
  if (!latency || !table.present()) return out;
  constexpr double warp_size = 32, tolerance = 0.10;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      const double rate = table.y[i * table.columns.size() + j];
      const double bound = table.rows[i] * table.columns[j] * warp_size / *latency;
      if (rate > bound * (1 + tolerance))
        out.push_back(
            fmt::format("{} FMA/cycle with {} warps x {} chains is above {} = warps x chains x 32 / "
                        "fma_latency_cycles ({})",
                        rate, table.rows[i], table.columns[j], bound, *latency));
    }
  }
  return out;
}

// A rate far below the lanes means that not all SMs worked, or that something else was measured.
Violations fma_rate_is_reached(const DeviceProfile& device) {
  Violations out;
  const auto rate = value(device, "fma_rate_per_cycle"), lanes = value(device, "fp32_lanes_per_sm");
  constexpr double least = 0.5;  // register-bank conflicts alone cost a third at worst
  if (rate && lanes && *rate < least * *lanes)
    out.push_back(
        fmt::format("fma_rate_per_cycle = {} is below half of fp32_lanes_per_sm = {} (were all SMs "
                    "busy?)",
                    *rate, *lanes));
  return out;
}

Violations shared_below_peak(const DeviceProfile& device) {
  Violations out;
  constexpr double peak = 128;  // 32 banks x 4 bytes, every SM since Maxwell (CUDA C++ Programming Guide)
  const auto rate = value(device, "shared_read_bytes_per_cycle");
  if (rate && *rate > peak * (1 + rate_tolerance))
    out.push_back(fmt::format("shared_read_bytes_per_cycle = {} is above 128 = 32 banks x 4 bytes", *rate));
  return out;
}

Violations l2_above_dram(const DeviceProfile& device) {
  Violations out;
  expect_less(device, "dram_read_bytes_per_s", "l2_read_bytes_per_s", true, out);
  return out;
}

// Cycles of the memory-bound clock become seconds by that clock where it is known.
std::optional<double> dram_latency_seconds(const DeviceProfile& device) {
  const auto cycles = value(device, "dram_latency_cycles");
  const auto memory_clock = value(device, "sm_clock_memory_hz");
  const auto clock = memory_clock ? memory_clock : value(device, "sm_clock_hz");
  if (!cycles || !clock) return std::nullopt;
  return *cycles / *clock;
}

// At few bytes in flight every access waits alone: bytes in flight / bandwidth is the latency of the chase.
Violations slope_agrees_with_chase(const DeviceProfile& device) {
  Violations out;
  const auto chase = dram_latency_seconds(device);
  const Curve& curve = device.dram_read_over_bytes_in_flight;
  if (!chase || !curve.present() || curve.y.front() <= 0) return out;
  // Only a point on the straight part says a latency: below a quarter of the plateau.
  const double plateau = *std::ranges::max_element(curve.y);
  if (curve.y.front() > 0.25 * plateau) return out;
  const double effective = curve.x.front() / curve.y.front();
  const double ratio = effective / *chase;
  if (std::abs(ratio - 1) > slope_tolerance)
    out.push_back(
        fmt::format("{} bytes in flight at {} bytes/s mean a latency of {:.4g} s; the chase says "
                    "{:.4g} s (ratio {:.2f}, expected within {:.0f} %)",
                    curve.x.front(), curve.y.front(), effective, *chase, ratio, 100 * slope_tolerance));
  return out;
}

// Loaded Little's law: bandwidth x latency <= bytes in flight, since load only adds to the idle latency.
Violations little(const DeviceProfile& device) {
  Violations out;
  const auto chase = dram_latency_seconds(device);
  const Curve& curve = device.dram_read_over_bytes_in_flight;
  if (!chase || !curve.present()) return out;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double needed = curve.y[i] * *chase;
    if (needed > curve.x[i] * (1 + little_tolerance))
      out.push_back(
          fmt::format("{} bytes/s x {:.4g} s of idle latency need {:.6g} bytes in flight; the curve "
                      "has {}",
                      curve.y[i], *chase, needed, curve.x[i]));
  }
  return out;
}

// V_s at 95 % cannot be smaller than what 95 % of the plateau needs at the idle latency.
Violations v_s_above_little(const DeviceProfile& device) {
  Violations out;
  const auto chase = dram_latency_seconds(device);
  const auto plateau = value(device, "dram_read_bytes_per_s");
  const auto v95 = value(device, "v_s_95_bytes");
  if (chase && plateau && v95) {
    const double least = 0.95 * *plateau * *chase;
    if (*v95 * (1 + little_tolerance) < least)
      out.push_back(
          fmt::format("v_s_95_bytes = {} is below Little's {:.6g} = 0.95 x dram_read_bytes_per_s x "
                      "latency",
                      *v95, least));
  }
  expect_less(device, "v_s_95_bytes", "v_s_99_bytes", false, out);
  return out;
}

Violations limits_fit(const DeviceProfile& device) {
  Violations out;
  expect_less(device, "max_threads_per_block", "max_threads_per_sm", false, out);
  expect_less(device, "shared_per_block_bytes", "shared_per_sm_bytes", false, out);
  expect_less(device, "max_registers_per_thread", "registers_per_sm", true, out);
  expect_less(device, "l2_size_bytes", "dram_size_bytes", true, out);
  return out;
}

// clang-format off
constexpr std::array checks{
    DeviceCheck{"plausible-range", "every value within its physical range", plausible_range},
    DeviceCheck{"interval", "every interval contains its value", interval_contains_value},
    DeviceCheck{"limits", "a block's limits fit the SM's; L2 below DRAM", limits_fit},
    DeviceCheck{"clocks", "base clock <= boost clock", clock_order},
    DeviceCheck{"latency-order", "L1, shared < L2 <= L2 far < DRAM", latency_order},
    DeviceCheck{"dram-peak", "DRAM read, write, copy <= memory clock x bus width", dram_below_peak},
    DeviceCheck{"l2-above-dram", "L2 read > DRAM read", l2_above_dram},
    DeviceCheck{"fma-lanes", "FMA rate <= fp32 lanes", fma_below_lanes},
    DeviceCheck{"fma-reached", "FMA rate >= half of the lanes", fma_rate_is_reached},
    DeviceCheck{"fma-latency", "FMA rate x FMA latency <= FMAs in flight", fma_rate_agrees_with_latency},
    DeviceCheck{"shared-peak", "shared read <= 128 bytes/cycle", shared_below_peak},
    DeviceCheck{"slope", "bandwidth at few bytes in flight agrees with the chase", slope_agrees_with_chase},
    DeviceCheck{"little", "bandwidth x latency <= bytes in flight", little},
    DeviceCheck{"v-s", "V_s (95 %) >= Little's V_s; V_s (95 %) <= V_s (99 %)", v_s_above_little},
};
// clang-format on

}  // namespace

std::span<const DeviceCheck> device_checks() {
  return checks;
}

std::vector<Violation> check_device(const DeviceProfile& device) {
  std::vector<Violation> out;
  for (const auto& check : checks) {
    for (auto& message : check.violations(device))
      out.push_back({check.name, std::move(message)});
  }
  return out;
}

}  // namespace tilecast
