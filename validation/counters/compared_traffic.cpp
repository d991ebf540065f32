#include "validation/counters/compared_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

std::vector<ComparedTraffic> compared_traffic(const std::string& cases, const DeviceProfile& device) {
  std::vector<ComparedTraffic> all;
  for (const auto& run : read_counter_cases(read_file(cases), cases, device)) {
    const auto name =
        fmt::format("{} {} {}", run.family->name, describe_shape(run.shape), describe_config(run.config));
    const auto launch = recorded_launch(device.gpu_name, run.family->name, run.shape, run.config);
    const auto places = recorded_places(device.gpu_name, run.family->name, run.shape, run.config);
    if (!launch && !places) throw InputError(fmt::format("{}: '{}' was not counted", cases, name));
    const auto kernel = describe_kernel(*run.family, run.shape, run.config, device);
    all.push_back({run, name, places ? *places : launch->traffic, launch ? launch->l1_missed : 0,
                   predicted_launch(kernel, device)});
  }
  return all;
}

double l2_hit_rate(double dram_read_bytes, double sectors_read, double sectors_written) {
  return 1 - dram_read_bytes / (sector_bytes * (sectors_read + sectors_written));
}

double counted_hit_rate(const ComparedTraffic& c) {
  return l2_hit_rate(c.counted.dram_read_bytes, c.counted.sectors_read, c.counted.sectors_written);
}

double predicted_hit_rate(const ComparedTraffic& c) {
  return l2_hit_rate(c.predicted.dram_read_bytes, c.predicted.sectors_read, c.counted.sectors_written);
}

namespace {

double dram_bytes(const auto& launch) {
  return launch.dram_read_bytes + launch.dram_written_bytes;
}

}  // namespace

double dram_bytes_off(const ComparedTraffic& c) {
  return dram_bytes(c.predicted) / dram_bytes(c.counted) - 1;
}

bool dram_bytes_agree(const ComparedTraffic& c) {
  const double bytes = dram_bytes(c.predicted);
  return std::abs(dram_bytes_off(c)) < 0.05 ||
         (bytes >= c.counted.least_dram_bytes && bytes <= c.counted.most_dram_bytes);
}

bool moves_traffic(const ComparedTraffic& c) {
  return std::max(dram_bytes(c.predicted), dram_bytes(c.counted)) >= 2e6;
}

}  // namespace tilecast
