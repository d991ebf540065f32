// What recorded launches (slope_cases.csv, traffic_cases.csv, cases.csv) were counted to move beside what the
// models say of them: a CSV row a launch, and how many are near. Usage: compare_traffic CASES.csv...

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "validation/counters/compared_traffic.hpp"

using namespace tilecast;

namespace {

void print(const ComparedTraffic& c) {
  const auto& n = c.counted;
  const auto& p = c.predicted;
  const double bytes = n.dram_read_bytes + n.dram_written_bytes;
  fmt::print("{},{:.2f},{:.2f},{:.2f},{:.2f},{:.1f},{:.1f},{:.1f},{:.2f},{:.2f}\n", csv_field(c.name),
             n.dram_read_bytes / 1e6, p.dram_read_bytes / 1e6, n.dram_written_bytes / 1e6,
             p.dram_written_bytes / 1e6, 100 * dram_bytes_off(c), 100 * (n.least_dram_bytes / bytes - 1),
             100 * (n.most_dram_bytes / bytes - 1), 100 * counted_hit_rate(c), 100 * predicted_hit_rate(c));
}

void compare(const std::string& path, const DeviceProfile& device) {
  const auto all = compared_traffic(path, device);
  fmt::print(
      "# {}\nlaunch,DRAM read counted [MB],model,written counted [MB],model,bytes off [%],least launch "
      "or place [%],most,L2 hit rate counted [%],model\n",
      path);
  int moving = 0, within = 0, agree = 0, hit = 0;
  for (const auto& c : all) {
    print(c);
    moving += moves_traffic(c);
    within += moves_traffic(c) && std::abs(dram_bytes_off(c)) < 0.05;
    agree += moves_traffic(c) && dram_bytes_agree(c);
    hit += std::abs(predicted_hit_rate(c) - counted_hit_rate(c)) < 0.03;
  }
  fmt::print(
      "# DRAM bytes of the {} that move 2 MB or more: within 5 % in {}, that or between the counted ones in "
      "{}; L2's hit rate within 3 points in {} of {}\n",
      moving, within, agree, hit, all.size());
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: compare_traffic CASES.csv...\n");
    return static_cast<int>(ExitCode::usage);
  }
  try {
    const auto device = load_device("h200");
    for (int i = 1; i < count; ++i)
      compare(words[i], device);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {} {}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
}
