// What the models say reaches DRAM against the profiler's counters of recorded kernels (EQUATIONS.md A5).

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/simulation/kernel_simulator.hpp"
#include "model/device/load.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"
#include "validation/counters/compared_traffic.hpp"

using namespace tilecast;

namespace {

std::vector<ComparedTraffic> launches_of(const std::string& cases) {
  return compared_traffic(fmt::format(TILECAST_SOURCE_DIR "/validation/counters/{}", cases),
                          load_device("h200"));
}

constexpr const char *beyond_l2 = "traffic_cases.csv", *as_l2_keeps = "slope_cases.csv",
                     *all_kinds = "cases.csv", *at_random = "random_cases.csv", *alone = "lone_cases.csv";

std::string bytes_of(const ComparedTraffic& c) {
  return fmt::format("{}: {} read and {} written, counted {} and {}", c.name, c.predicted.dram_read_bytes,
                     c.predicted.dram_written_bytes, c.counted.dram_read_bytes, c.counted.dram_written_bytes);
}

}  // namespace

// The misses of L2 are the models', the requests the profiler's: the models' own are at the end.
TEST_CASE("traffic: of the sectors that SMs were counted to read, DRAM's share is within 3 points") {
  for (const auto& c : launches_of(beyond_l2)) {
    INFO(bytes_of(c));
    CHECK(std::abs(c.predicted.dram_read_bytes - c.counted.dram_read_bytes) <
          std::max(2e5, 0.03 * 32 * c.counted.sectors_read));
  }
}

TEST_CASE("traffic (A5): bytes of DRAM are within 5 % of the counters'") {
  int compared = 0, within = 0;
  for (const auto* cases : {beyond_l2, all_kinds}) {
    for (const auto& c : launches_of(cases)) {
      INFO(bytes_of(c));
      if (!moves_traffic(c)) continue;
      ++compared;
      // One is 8 % off, of whose 33 MB four places in memory hand 7 % less to 9 % more to DRAM.
      CHECK(std::abs(dram_bytes_off(c)) < 0.085);
      within += std::abs(dram_bytes_off(c)) < 0.05;
    }
  }
  CHECK(within == 22);
  CHECK(compared == 23);
}

namespace {

struct Agreement {
  int moving = 0, within = 0, agree = 0;  // launches; of these within 5 %, or as far off as one place is
  std::vector<double> off;
};

Agreement agreement(const char* cases) {
  Agreement a;
  for (const auto& c : launches_of(cases)) {
    if (!moves_traffic(c)) continue;
    ++a.moving;
    a.within += std::abs(dram_bytes_off(c)) < 0.05;
    a.agree += dram_bytes_agree(c);
    a.off.push_back(std::abs(dram_bytes_off(c)));
  }
  std::ranges::sort(a.off);
  return a;
}

}  // namespace

// Written sets of 25 to 38 MB, of which L2 keeps a part that depends on where they lie, by a factor of four
// at 25 MB, and on how far the order of a launch differs from that of the one before.
TEST_CASE("traffic (A5): bytes of DRAM of sets as large as L2 keeps") {
  const auto a = agreement(as_l2_keeps);
  CHECK(a.moving == 26);
  CHECK(a.within >= 18);
  CHECK(a.agree >= 22);
  CHECK(a.off[13] < 0.03);
  CHECK(a.off.back() < 0.25);
}

// The source of A5's row for them: 35 to 58 MB.
TEST_CASE("traffic (A5): what DRAM sends of tiled products whose blocks run at once") {
  int near = 0;
  const auto all = launches_of(alone);
  for (const auto& c : all) {
    INFO(bytes_of(c));
    const double off = std::abs(c.predicted.dram_read_bytes - c.counted.dram_read_bytes);
    CHECK(off < 2.5e6);
    near += off < 1e6;
  }
  CHECK(all.size() == 32);
  CHECK(near >= 26);
}

// Layers and configs drawn at random among those that touch 8 to 250 MB.
TEST_CASE("traffic (A5): bytes of DRAM of launches drawn at random") {
  const auto a = agreement(at_random);
  CHECK(a.moving == 85);
  CHECK(a.within >= 50);
  CHECK(a.agree >= 60);
  CHECK(a.off[42] < 0.035);
  CHECK(std::ranges::count_if(a.off, [](double off) { return off > 0.25; }) <= 13);
  CHECK(a.off.back() < 0.5);
  int near = 0;
  const auto all = launches_of(at_random);
  for (const auto& c : all)
    near += std::abs(predicted_hit_rate(c) - counted_hit_rate(c)) < 0.03;
  CHECK(all.size() == 122);
  CHECK(near >= 109);
}

TEST_CASE("traffic (A21): L2's hit rate is within 3 points of the counters'") {
  for (const auto* cases : {beyond_l2, as_l2_keeps, all_kinds}) {
    for (const auto& c : launches_of(cases)) {
      INFO(c.name << ": " << predicted_hit_rate(c) << ", counted " << counted_hit_rate(c));
      CHECK(std::abs(predicted_hit_rate(c) - counted_hit_rate(c)) < 0.03);
    }
  }
}

// Rows of chang_single's map that begin in mid-sector take more; its neighbours' requests that L2 takes
// together (A4) fewer.
TEST_CASE("traffic (A21): sectors that SMs ask of L2 are those that L1 was counted to miss") {
  int near = 0, all = 0;
  for (const auto* cases : {beyond_l2, as_l2_keeps}) {
    for (const auto& c : launches_of(cases)) {
      INFO(c.name << ": " << c.predicted.sectors_read << " sectors, L1 missed " << c.l1_missed);
      CHECK(c.predicted.sectors_read > 0.65 * c.l1_missed);
      CHECK(c.predicted.sectors_read < 1.4 * c.l1_missed);
      near += std::abs(c.predicted.sectors_read / c.l1_missed - 1) < 0.1;
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
    for (const auto* cases : {beyond_l2, as_l2_keeps}) {
      for (const auto& c : launches_of(cases)) {
        const SimulationJob job{c.run.family, c.run.shape, c.run.config};
        const auto blocks = static_cast<double>(simulator.description(job).launch.blocks);
        const auto stream = simulator.stream(job);
        const double asked = blocks * global_sectors_read(stream);
        const double rate = l2_hit_rate(c.predicted.dram_read_bytes, blocks * sectors_read(stream),
                                        c.counted.sectors_written);
        INFO(c.name << ": " << asked << " sectors, L1 missed " << c.l1_missed << "; hit rate " << rate
                    << ", counted " << counted_hit_rate(c));
        CHECK(asked > 0.7 * c.l1_missed);
        CHECK(asked < 2 * c.l1_missed);
        // The other one, 3.4: L1 has more of its spilled registers than S15 says.
        CHECK(std::abs(rate - counted_hit_rate(c)) < 0.035);
        close += std::abs(rate - counted_hit_rate(c)) < 0.03;
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
