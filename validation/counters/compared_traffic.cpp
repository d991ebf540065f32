#include "validation/counters/compared_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

std::vector<ComparedTraffic> compared_traffic(const std::string& cases, const DeviceProfile& device) {
  std::vector<ComparedTraffic> all;
  for (const auto& run : read_counter_cases(read_file(cases), cases, device)) {
    const auto name =
        fmt::format("{} {} {}", run.family->name, describe_shape(run.shape), describe_config(run.config));
    const auto counted = recorded_launch(device.gpu_name, run.family->name, run.shape, run.config);
    if (!counted) throw InputError(fmt::format("{}: '{}' was not counted", cases, name));
    const auto kernel = describe_kernel(*run.family, run.shape, run.config, device);
    all.push_back({run, name, *counted, predicted_launch(kernel, device)});
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

bool moves_traffic(const ComparedTraffic& c) {
  return std::max(dram_bytes(c.predicted), dram_bytes(c.counted)) >= 2e6;
}

}  // namespace tilecast
