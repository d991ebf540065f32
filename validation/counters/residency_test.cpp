// Blocks at once on an SM and waves as the models have them (EQUATIONS.md O1, A9) against the clocks of
// recorded kernels.

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "kernels/family.hpp"
#include "model/analytic/waves.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"
#include "validation/counters/cases.hpp"

using namespace tilecast;

namespace {

struct Timeline {
  CounterCase run;
  double at_once = 0;  // blocks that began on a typical SM before the first of them ended
  double sms = 0;      // that had a block
  double most = 0;     // blocks of an SM
};

// "1x96 2x16": 96 SMs had one block.
double most_blocks(const std::string& blocks_an_sm) {
  const auto last = blocks_an_sm.rfind(' ');
  return std::stod(blocks_an_sm.substr(last == std::string::npos ? 0 : last + 1));
}

// block_timeline.csv names problems as describe_shape() does.
std::vector<Timeline> timelines(const DeviceProfile& device) {
  const std::string path =
      TILECAST_SOURCE_DIR "/microbench/results/nvidia-h200/experiments/block_timeline.csv";
  const auto table = parse_csv(read_file(path), path);
  std::string cases = "family,N,C,H,W,M,K,stride,pad,config\n";
  std::vector<Timeline> all;
  for (const auto& row : table.rows) {
    int n = 0, c = 0, h = 0, w = 0, m = 0, k = 0, stride = 0, pad = 0;
    REQUIRE(std::sscanf(row.fields[1].c_str(), "N%d C%d %dx%d M%d K%d s%d p%d", &n, &c, &h, &w, &m, &k,
                        &stride, &pad) == 8);
    cases += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", row.fields[0], n, c, h, w, m, k, stride, pad,
                         row.fields[2]);
    all.push_back({.run = {},
                   .at_once = csv_number(table, row, *table.column("at_once")),
                   .sms = csv_number(table, row, *table.column("sms")),
                   .most = most_blocks(row.fields[*table.column("blocks_an_sm")])});
  }
  const auto runs = read_counter_cases(cases, "block_timeline.csv", device);
  REQUIRE(runs.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].run = runs[i];
  return all;
}

}  // namespace

// Where the code that ran then had other registers than today's (code records of the day, hash
// 8d23de29a0c8a639; sgemm's copies were changed since).
std::optional<std::int64_t> registers_then(const CounterCase& run) {
  if (!describe_shape(run.shape).starts_with("N1 C576 1x3997 M1433")) return std::nullopt;
  if (describe_config(run.config) != "BM=64 BN=32 BK=32 TM=4 TN=4 async=0 stages=1 split_k=1")
    return std::nullopt;
  return 96;
}

TEST_CASE("waves_of (A9): blocks at once on an SM and SMs at work are those of recorded kernels' clocks") {
  const auto device = load_device("h200");
  int waves_compared = 0, part_compared = 0, other_code = 0;
  for (const auto& [run, at_once, sms, most] : timelines(device)) {
    auto kernel = describe_kernel(*run.family, run.shape, run.config, device);
    if (const auto registers = registers_then(run)) {
      CHECK(kernel.launch.registers != *registers);
      kernel.launch.registers = *registers;
      ++other_code;
    }
    const auto [full, tail] = analytic::waves_of(kernel, device);
    INFO(run.family->name << " " << describe_shape(run.shape) << " " << describe_config(run.config));
    INFO(kernel.launch.blocks << " blocks, full " << full.count << " x " << full.blocks_per_sm << ", tail "
                              << tail.blocks_per_sm << ", registers " << kernel.launch.registers);
    const double reached = (full.count > 0 ? full : tail).active_sms;
    // Clusters come to some SMs that others have left, though not to all of these at once.
    constexpr double with_those_of_later_clusters = 4;
    if (kernel.launch.cluster > 1) {
      CHECK(sms >= reached);
      CHECK(sms <= reached + with_those_of_later_clusters);
    } else {
      CHECK(sms == reached);
    }
    if (full.count > 0) {
      ++waves_compared;
      CHECK(at_once == full.blocks_per_sm);
    } else {
      ++part_compared;
      CHECK(most == tail.blocks_per_sm);
    }
  }
  CHECK(other_code == 1);
  CHECK(waves_compared >= 54);
  CHECK(part_compared >= 33);
}
