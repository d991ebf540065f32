// What a kernel whose machine code is known waits for its first loads (A15).

#include <vector>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/code_wave.hpp"
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
  CHECK(alone() == Approx(100 + 200 + 300));
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
