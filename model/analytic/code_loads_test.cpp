// What a kernel whose machine code is known waits for its loads (A15, A20).

#include <vector>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/code_wave.hpp"
#include "model/analytic/overlap.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

TEST_CASE("code (A15): first loads are on their way while later trips' data are asked for", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);  // one cycle is one nanosecond, L2 takes 200
  Enabled enabled;
  enabled.fill(true);
  auto k = round_kernel(10, 1);
  auto& first = k.phases[0];
  first.fetch_distance = 0;
  first.fetched = Bytes{10};  // a nanosecond: shorter than the code before the wait
  CodeCounts asking;
  asking.chain_cycles = 400;
  first.code = CodeSegments{asking, {}};
  const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};
  const auto waited = [&](double cycles) {
    first.cycles_until_wait = cycles;
    return code_wave(k, wave, {}, machine, enabled).all.latency.value() * 1e9;
  };
  CHECK(waited(0) == Approx(200));
  CHECK(waited(150) == Approx(50));
  CHECK(waited(300) == Approx(0).margin(1e-9));
  // Eight warps take longer together, this stretch as much as the others.
  first.code->around.issued = 300;
  const auto all = code_wave(k, wave, {}, machine, enabled).all;
  first.cycles_until_wait = 100;
  CHECK(waited(100) == Approx(200 - 100.0 / 400 * all.chain.value() * 1e9));
}

TEST_CASE("code (A15): data of later trips come while others are asked for", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  auto k = round_kernel(10, 1);
  auto& trip = k.phases[0];
  trip.fetch_distance = 1;
  trip.fetched = Bytes{3000};  // 300 ns
  CodeCounts asking;
  asking.chain_cycles = 100;
  trip.code = CodeSegments{asking, {}};
  const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};
  const auto alone = [&] { return code_wave(k, wave, {}, machine, all_enabled()).all.alone().value() * 1e9; };
  CHECK(alone() == Approx(100 + 200 + (300 - 100)));
  const std::vector<CorePace> paces{{1, 100, 100, 0}};
  k.core_paces = paces;
  CHECK(alone() == Approx(100 + 200 + (300 - 100)));  // whether its pace is known or not
}

TEST_CASE("code (A20): a block that asks ahead waits for data at least as was seen", "[analytic]") {
  auto machine = machine_of(round_device());
  machine.l2_latency = Cycles{300};
  machine.dram_latency = Cycles{700};
  auto k = round_kernel(10, 1);
  auto& trip = k.phases[0];
  trip.fetch_distance = 2;
  trip.fetched = Bytes{10};
  CodeCounts computing;
  computing.chain_cycles = 1000;
  trip.code = CodeSegments{{}, computing};
  const std::vector<CorePace> paces{{1, 1000, 1000, 0}};
  k.core_paces = paces;
  const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};
  Traffic traffic;
  const auto waited = [&] {
    return code_wave(k, wave, traffic, machine, all_enabled()).all.latency.value() * 1e9;
  };
  CHECK(waited() == 0);  // A15: half of 300 cycles are less than the block's 1000
  const std::vector<CoreWait> waits{{300, 1060}, {700, 1280}};
  k.core_waits = waits;
  CHECK(waited() == Approx(60));
  traffic.dram_read_share = 0.5;  // 500 cycles on average
  CHECK(waited() == Approx(170));
  // Against the block out of step, and no more than in proportion to a longer latency.
  traffic.dram_read_share = 0;
  const std::vector<CoreWait> least_at_700{{300, 1060}, {700, 930}};
  k.core_waits = least_at_700;
  CHECK(waited() == 0);
  const std::vector<CoreWait> in_step{{300, 1200}, {700, 1280}};
  k.core_waits = in_step;
  CHECK(waited() == Approx(300.0 / 700 * 280));
  // What A15 has is a part of it.
  k.core_waits = waits;
  trip.exposed_latencies = 0.1;
  CHECK(waited() == Approx(60));
}

TEST_CASE("code (A15): a request is on its way when the warps that ask have gone through their code",
          "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  auto k = round_kernel(10, 1);
  auto& trip = k.phases[0];
  trip.active_warps = 8;
  trip.fetch_distance = 1;
  trip.fetched = Bytes{10};
  CodeCounts around;
  around.issued = 300;
  around.chain_cycles = 600;  // two warps of a scheduler: 600 + 300 * 300 / (t - 300) = 785.4
  trip.code = CodeSegments{around, {}};
  const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};
  const auto alone = [&](double requests) {
    trip.warp.global_load.w32 = requests / 8;
    return code_wave(k, wave, {}, machine, all_enabled()).all.alone().value() * 1e9;
  };
  CHECK(alone(8) == Approx(785.41 + 200));
  CHECK(alone(1) == Approx(600 + 200));
  CHECK(alone(4) == Approx(600 + 200));  // one of each scheduler
}

TEST_CASE("code (A15): a block waits for those of its warps that copy most", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);  // L2 takes 200
  auto k = round_kernel(10, 1);
  auto& trip = k.phases[0];
  trip.fetch_distance = 0;
  trip.fetched = Bytes{10};
  const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};
  const auto chain = [&](double share) {
    CodeCounts around;  // 100 instructions in 150 cycles, then the copies
    around.issued = 100 + share * 80;
    around.chain_cycles = 150 + 300;
    trip.code = CodeSegments{around, {}};
    trip.code->copies.issued = 80;
    trip.code->copies.chain_cycles = 300;
    trip.code->copying = share;
    const auto all = code_wave(k, wave, {}, machine, all_enabled()).all;
    CHECK(all.latency.value() * 1e9 == Approx(200));
    return all.chain.value() * 1e9;
  };
  CHECK(chain(0.5) == Approx(queued(2, 100, 150) + 300));  // four of eight warps
  // All: one of a scheduler's two goes on while the other waits for its loads.
  CHECK(chain(1) == Approx(queued(2, 100, 150) + queued(2, 80, 500) - 200));
}

TEST_CASE("code (A15): loads into registers come while others are asked for", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  auto k = round_kernel(10, 1);
  auto& trip = k.phases[0];
  trip.fetch_distance = 1;
  trip.fetched = Bytes{3000};  // 300 ns
  CodeCounts asking, computing;
  asking.chain_cycles = 100;
  asking.load_waits = 1;
  asking.load_distance = 50;
  computing.chain_cycles = 1000;
  trip.code = CodeSegments{asking, computing};
  const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};
  // 50 of the latency of 200 have passed when they are waited for, and 100 of the 300 when all are asked for.
  CHECK(code_wave(k, wave, {}, machine, all_enabled()).all.alone().value() * 1e9 ==
        Approx(100 + 1000 + (200 - 50) + (300 - 100)));
}
