#include "model/paper/device_constants.hpp"

#include "model/paper/paper_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::paper;

TEST_CASE("device_constants: every number of the paper's Table 1 (P1, P2)", "[paper]") {
  const auto c = device_constants(gtx_1080_ti());
  CHECK(c.n_fma == 66048);  // 258 x 128 x 2
  CHECK(c.transfer_rate.value() == 327);
  CHECK(c.data_requirement.value() == 84366);
  CHECK(c.words == 21092);  // 84366 / 4 = 21091.5; the paper prints 21,120
  CHECK(c.threads_per_sm == 768);
  CHECK(c.warps_per_sm == 24);
  CHECK(c.bytes_per_sm.value() == 3072);
  CHECK(c.v_s.value() == 86016);  // 768 x 4 x 28
  CHECK(c.shared_per_sm.value() == 98304);
  CHECK(c.registers_per_thread == 128);
}

TEST_CASE("device_constants: true FMAs are half of the paper's count (quirk 1)", "[paper]") {
  CHECK(device_constants(gtx_1080_ti(), {.fma_count = FmaCount::fmas}).n_fma == 33024);
}

TEST_CASE("device_constants: the alternative latency of 415 cycles (quirk 3)", "[paper]") {
  const auto c = device_constants(gtx_1080_ti(), {.latency = Latency::alternative});
  CHECK(c.n_fma == 415 * 256);
  CHECK(c.data_requirement.value() == 327 * 415);  // 135,705 B = 33,927 words = 1,212 a SM = 38 warps
  CHECK(c.warps_per_sm == 38);
  CHECK(c.v_s.value() == 38 * 32 * 4 * 28);
  auto without = gtx_1080_ti();
  without.dram_latency.set(Cycles{258});
  CHECK_THROWS_AS(device_constants(without, {.latency = Latency::alternative}), UnavailableError);
}

TEST_CASE("device_constants: 1,024 resident threads leave 64 registers each (quirk 4)", "[paper]") {
  CHECK(device_constants(gtx_1080_ti(), {.registers = Registers::resident}).registers_per_thread == 64);
}

TEST_CASE("device_constants: clock and bandwidth fall back, latency does not", "[paper]") {
  auto d = gtx_1080_ti();
  d.base_clock = {};
  d.sm_clock.set(Frequency{2e9});
  d.dram_peak = {};
  d.dram_read.set(Bandwidth{400e9});
  CHECK(device_constants(d).transfer_rate.value() == 200);
  d.dram_latency = {};
  CHECK_THROWS_AS(device_constants(d), UnavailableError);
}
