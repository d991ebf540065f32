// What the models say reaches DRAM against the profiler's counters of recorded kernels (EQUATIONS.md A5).

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/family.hpp"
#include "kernels/simulation/kernel_simulator.hpp"
#include "model/analytic/machine.hpp"
#include "model/analytic/traffic.hpp"
#include "model/analytic/waves.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"
#include "validation/counters/cases.hpp"

using namespace tilecast;

namespace {

struct Case {
  std::string name;
  double counted_read = 0, counted_written = 0;                   // bytes of DRAM
  double counted_sectors = 0, counted_stored = 0, l1_missed = 0;  // of L2, and of L1
  double read = 0, written = 0, asked = 0;                        // as the models have it
};

constexpr std::string_view folder = TILECAST_SOURCE_DIR "/validation/";

std::vector<CounterCase> runs_of(const std::string& what, const DeviceProfile& device) {
  const std::string name = what == "warm" ? "cases.csv" : what + "_cases.csv";
  return read_counter_cases(read_file(fmt::format("{}counters/{}", folder, name)), name, device);
}

std::vector<Case> cases(const std::string& what = "traffic") {
  const auto device = load_device("h200");
  const auto runs = runs_of(what, device);
  const std::string path = std::string(folder) + "recorded/nvidia-h200/" + what + ".csv";
  const auto table = parse_csv(read_file(path), path);
  REQUIRE(table.rows.size() == runs.size());
  std::vector<Case> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& run = runs[i];
    const auto& row = table.rows[i];
    Case c{.name = fmt::format("{} {} {}", run.family->name, describe_shape(run.shape),
                               describe_config(run.config))};
    REQUIRE(row.fields[0] + " " + row.fields[1] + " " + row.fields[2] == c.name);
    c.counted_read = csv_number(table, row, 4);
    c.counted_written = csv_number(table, row, 5);
    c.counted_sectors = csv_number(table, row, 6);
    c.counted_stored = csv_number(table, row, 7);
    c.l1_missed = csv_number(table, row, 14) - csv_number(table, row, 15);
    const auto kernel = describe_kernel(*run.family, run.shape, run.config, device);
    const auto waves = analytic::waves_of(kernel, device);
    const auto traffic = analytic::traffic_of(kernel, std::max(waves[0].blocks, waves[1].blocks),
                                              analytic::machine_of(device), analytic::Caches::warm);
    for (const auto& s : kernel.streams)
      if (s.written) c.written += traffic.dram_write_share * s.requested.value();
    c.asked = traffic.asked_read.value();
    c.read = traffic.dram_read_share * c.asked;
    all.push_back(c);
  }
  return all;
}

}  // namespace

// The misses of L2 are the models', the requests the profiler's: the models' own are at the end.
TEST_CASE("traffic: of the sectors that SMs were counted to read, DRAM's share is within 3 points") {
  for (const auto& c : cases()) {
    INFO(c.name << ": " << c.read << " bytes from DRAM, counted " << c.counted_read);
    CHECK(std::abs(c.read - c.counted_read) < std::max(2e5, 0.03 * 32 * c.counted_sectors));
  }
}

namespace {

double bytes_off(const Case& c) {
  return (c.read + c.written) / (c.counted_read + c.counted_written) - 1;
}

std::string bytes_of(const Case& c) {
  return fmt::format("{}: {} read and {} written, counted {} and {}", c.name, c.read, c.written,
                     c.counted_read, c.counted_written);
}

}  // namespace

TEST_CASE("traffic (A5): bytes of DRAM are within 5 % of the counters'") {
  int compared = 0, within = 0;
  for (const std::string what : {"traffic", "warm"}) {
    for (const auto& c : cases(what)) {
      INFO(bytes_of(c));
      // Below 2 MB it is not traffic that anything waits for: both must be small.
      if (std::max(c.read + c.written, c.counted_read + c.counted_written) < 2e6) continue;
      ++compared;
      // One is 6.7 % off, of whose 33 MB four places in memory hand 7 % less to 9 % more to DRAM.
      CHECK(std::abs(bytes_off(c)) < 0.07);
      within += std::abs(bytes_off(c)) < 0.05;
    }
  }
  CHECK(within == 22);
  CHECK(compared == 23);
}

// Written sets of 25 to 38 MB at one place in memory, of which L2 keeps a part that depends on where they
// lie, by a factor of two around 26 MB, and on how far the order of a launch differs from that of the one
// before.
TEST_CASE("traffic (A5): bytes of DRAM of sets as large as L2 keeps are within 8 % on average") {
  double sum = 0;
  int within = 0, near = 0;
  const auto slope = cases("slope");
  for (const auto& c : slope) {
    INFO(bytes_of(c));
    const double off = std::abs(bytes_off(c));
    CHECK(off < 0.5);
    sum += off;
    within += off < 0.05;
    near += off < 0.085;
  }
  CHECK(slope.size() == 27);
  CHECK(sum / static_cast<double>(slope.size()) < 0.08);
  CHECK(within >= 16);
  CHECK(near == 24);
}

namespace {

// L2's hit rate: of the sectors that SMs read and write there, the share for which it needs no DRAM. Counted
// lookups miss more often: a line that the other half of L2 has is looked up in both.
double hit_rate(double dram_read, double sectors_read, double sectors_written) {
  return 1 - dram_read / (32 * (sectors_read + sectors_written));
}

double counted_rate(const Case& c) {
  return hit_rate(c.counted_read, c.counted_sectors, c.counted_stored);
}

}  // namespace

TEST_CASE("traffic (A21): L2's hit rate is within 3 points of the counters'") {
  for (const std::string what : {"traffic", "slope", "warm"}) {
    for (const auto& c : cases(what)) {
      const double rate = hit_rate(c.read, c.asked / 32, c.counted_stored);
      INFO(c.name << ": " << rate << ", counted " << counted_rate(c));
      CHECK(std::abs(rate - counted_rate(c)) < 0.03);
    }
  }
}

// Rows of chang_single's map that begin in mid-sector take more; its neighbours' requests that L2 takes
// together (A4) fewer.
TEST_CASE("traffic (A21): sectors that SMs ask of L2 are those that L1 was counted to miss") {
  int near = 0, all = 0;
  for (const std::string what : {"traffic", "slope"}) {
    for (const auto& c : cases(what)) {
      INFO(c.name << ": " << c.asked / 32 << " sectors, L1 missed " << c.l1_missed);
      CHECK(c.asked > 0.65 * 32 * c.l1_missed);
      CHECK(c.asked < 1.4 * 32 * c.l1_missed);
      near += std::abs(c.asked / (32 * c.l1_missed) - 1) < 0.1;
      ++all;
    }
  }
  CHECK(all == 53);
  CHECK(near >= 41);
}

#ifdef TILECAST_WITH_CUDA

// What DRAM sends of them is A5's (S13, dram_share_test.cpp).
TEST_CASE("traffic (S15, A21): the simulator asks L2 for the sectors that L1 was counted to miss") {
  const auto device = load_device("h200");
  int close = 0, near = 0, all = 0;
  try {
    const KernelSimulator simulator(device);
    for (const std::string what : {"traffic", "slope"}) {
      const auto counted = cases(what);
      const auto runs = runs_of(what, device);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const SimulationJob job{runs[i].family, runs[i].shape, runs[i].config};
        const auto blocks = static_cast<double>(simulator.description(job).launch.blocks);
        const auto stream = simulator.stream(job);
        const double asked = blocks * global_sectors_read(stream);
        const auto& c = counted[i];
        const double rate = hit_rate(c.read, blocks * sectors_read(stream), c.counted_stored);
        INFO(c.name << ": " << asked << " sectors, L1 missed " << c.l1_missed << "; hit rate " << rate
                    << ", counted " << counted_rate(c));
        CHECK(asked > 0.7 * c.l1_missed);
        CHECK(asked < 2 * c.l1_missed);
        // The other one, 3.2: L1 has more of its spilled registers than S15 says.
        CHECK(std::abs(rate - counted_rate(c)) < 0.033);
        close += std::abs(rate - counted_rate(c)) < 0.03;
        near += std::abs(asked / c.l1_missed - 1) < 0.1;
        ++all;
      }
    }
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
    return;
  }
  CHECK(all == 53);
  CHECK(close == 52);
  CHECK(near >= 47);
}

#endif
