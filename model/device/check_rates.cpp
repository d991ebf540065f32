// Rules on rates against physical peaks.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/device/check_rules.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::rules {

CheckOutcome dram_below_peak(const DeviceProfile& device) {
  Judge judge(device);
  const auto peak = judge.value("dram_peak_bytes_per_s");
  if (!peak) return std::move(judge).outcome();
  const auto below = [&](std::string_view what, double rate) {
    judge.expect_below(what, rate, "dram_peak_bytes_per_s", *peak, "bytes served by a cache?");
  };
  for (const std::string_view key :
       {"dram_read_bytes_per_s", "dram_write_bytes_per_s", "dram_copy_bytes_per_s"}) {
    if (const auto rate = judge.value(key)) below(key, *rate);
  }
  // Every curve of DRAM bandwidth, whichever mechanism carries it.
  for (const auto& row : curve_rows()) {
    const Curve& curve = device.*row.member;
    if (!row.key.starts_with("dram_") || row.y_unit != "bytes/s" || !curve.present()) continue;
    below(fmt::format("a point of {}", row.key), *std::ranges::max_element(curve.y));
  }
  return std::move(judge).outcome();
}

// What reaches an SM from L2 passes its port of the crossbar. 64 bytes a cycle is half of what an L1 hit
// gives (CUDA C++ Best Practices Guide, 128 bytes a cycle), and no published measurement passes 46 (H200):
// more means hits in L1, or a division by too small a time.
CheckOutcome l2_below_port(const DeviceProfile& device) {
  Judge judge(device);
  const auto sms = judge.value("sm_count"), clock = judge.value("sm_clock_hz");
  if (!sms || !clock) return std::move(judge).outcome();
  constexpr double port = 64;
  const double peak = *sms * *clock * port;
  const auto below = [&](std::string_view what, double rate) {
    judge.expect_below(what, rate, "64 bytes a cycle and SM", peak, "hits in L1?");
  };
  for (const std::string_view key : {"l2_read_bytes_per_s", "l2_write_bytes_per_s"}) {
    if (const auto rate = judge.value(key)) below(key, *rate);
  }
  for (const auto& row : curve_rows()) {
    const Curve& curve = device.*row.member;
    if (!row.key.starts_with("l2_") || row.y_unit != "bytes/s" || !curve.present()) continue;
    below(fmt::format("a point of {}", row.key), *std::ranges::max_element(curve.y));
  }
  return std::move(judge).outcome();
}

CheckOutcome l2_above_dram(const DeviceProfile& device) {
  Judge judge(device);
  judge.expect_less("dram_read_bytes_per_s", "l2_read_bytes_per_s", true);
  return std::move(judge).outcome();
}

CheckOutcome fma_below_lanes(const DeviceProfile& device) {
  Judge judge(device);
  const auto lanes = judge.value("fp32_lanes_per_sm");
  if (!lanes) return std::move(judge).outcome();
  const auto below = [&](std::string_view what, double rate) {
    judge.expect_below(fmt::format("{} [FMA/cycle]", what), rate, "fp32_lanes_per_sm", *lanes,
                       "flops taken for FMAs, or work that was not done?");
  };
  for (const auto& row : parameter_rows()) {
    const auto rate = row.get(device);
    if (row.unit == "FMA/cycle" && rate) below(row.key, *rate);
  }
  for (const auto& row : curve_rows()) {
    const Curve& curve = device.*row.member;
    if (row.y_unit == "FMA/cycle" && curve.present())
      below(fmt::format("a point of {}", row.key), *std::ranges::max_element(curve.y));
  }
  for (const auto& row : table_rows()) {
    const Table2D& table = device.*row.member;
    if (row.y_unit == "FMA/cycle" && table.present())
      below(fmt::format("a point of {}", row.key), *std::ranges::max_element(table.y));
  }
  return std::move(judge).outcome();
}

// A rate far below the lanes means that not all SMs worked, or that something else was measured.
CheckOutcome fma_rate_is_reached(const DeviceProfile& device) {
  Judge judge(device);
  const auto rate = judge.value("fma_rate_per_cycle"), lanes = judge.value("fp32_lanes_per_sm");
  constexpr double least = 0.5;  // register-bank conflicts alone cost a third at worst
  if (!rate || !lanes) return std::move(judge).outcome();
  judge.judged();
  if (*rate < least * *lanes)
    judge.violation(
        fmt::format("fma_rate_per_cycle = {} is below half of fp32_lanes_per_sm = {} (were all SMs busy?)",
                    *rate, *lanes));
  return std::move(judge).outcome();
}

// CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions": fp32 fused multiply-adds a
// cycle and SM. Tables by hand have said 128 of an A100 (mixbench#47).
CheckOutcome lanes_of_capability(const DeviceProfile& device) {
  Judge judge(device);
  const auto lanes = judge.value("fp32_lanes_per_sm");
  constexpr std::array with_64{60, 70, 72, 75, 80};
  constexpr std::array with_128{50, 52, 53, 61, 62, 86, 87, 89, 90, 100, 103, 110, 120, 121};
  const int capability = 10 * device.compute_capability_major + device.compute_capability_minor;
  const bool half = std::ranges::find(with_64, capability) != with_64.end();
  if (!lanes || (!half && std::ranges::find(with_128, capability) == with_128.end()))
    return std::move(judge).outcome();
  judge.judged();
  const double documented = half ? 64 : 128;
  if (*lanes != documented)
    judge.violation(
        fmt::format("fp32_lanes_per_sm = {}; the CUDA C++ Programming Guide says {} of compute "
                    "capability {}.{}",
                    *lanes, documented, device.compute_capability_major, device.compute_capability_minor));
  return std::move(judge).outcome();
}

CheckOutcome shared_below_peak(const DeviceProfile& device) {
  Judge judge(device);
  if (const auto rate = judge.value("shared_read_bytes_per_cycle"))
    judge.expect_below("shared_read_bytes_per_cycle", *rate, "32 banks x 4 bytes", wavefront_bytes, "");
  // What many lanes share leaves the banks once and the SM several times: each bank of registers takes one a
  // cycle.
  if (device.shared_return.present())
    judge.expect_below("shared_return_bytes_per_cycle", device.shared_return.get().value(),
                       "32 lanes x two registers", 2 * wavefront_bytes, "");
  return std::move(judge).outcome();
}

}  // namespace tilecast::rules
