#include <algorithm>

#include "model/analytic/analytic.hpp"
#include "model/analytic/analytic_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

Seconds bound(const Prediction& p, std::string_view name) {
  const auto found = std::ranges::find(p.bounds, name, &Bound::name);
  REQUIRE(found != p.bounds.end());
  return found->time;
}

// A kernel with a prologue that waits, a loop that fetches two trips ahead, and stores.
KernelDescription pipelined(std::int64_t blocks, double trips, double bytes, double ffma) {
  auto k = round_kernel(blocks, trips);
  k.phases[0].warp.ffma = ffma;
  k.phases[0].warp.barriers = 1;
  k.phases[0].fetched = Bytes{bytes};
  k.phases[0].fetch_distance = 2;
  Phase first = k.phases[0], last = round_phase();
  first.role = PhaseRole::prologue;
  first.trips = 1;
  first.fetch_distance = 0;
  first.warp = {};
  last.role = PhaseRole::epilogue;
  last.stored = Bytes{bytes};
  k.phases = {first, k.phases[0], last};
  const double n = static_cast<double>(blocks);
  k.streams = {{"input", false, Bytes{n * bytes}, Bytes{n * bytes * (trips + 1)}},
               {"output", true, Bytes{n * bytes}, Bytes{n * bytes}}};
  return k;
}

}  // namespace

TEST_CASE("predict (A11): ten blocks on ten SMs, issue bound, by hand", "[analytic]") {
  // Two warps a scheduler x 130 instructions = 260 cycles; 8 x 40 wavefronts = 320 cycles: shared limits.
  const auto p = predict(round_kernel(10, 50), round_device());
  CHECK(p.time.value() == Approx(1e-6 + 50 * 320e-9));
  CHECK(p.limiter == "shared");
  CHECK(bound(p, "fma").value() == Approx(50 * 200e-9));
  CHECK(bound(p, "issue").value() == Approx(50 * 260e-9));
  CHECK(bound(p, "launch").value() == 1e-6);
  CHECK(p.low == p.time);  // no interval in the profile
  CHECK(p.high == p.time);
}

TEST_CASE("predict (A9, A11): waves and a tail with fewer blocks a SM", "[analytic]") {
  // 45 blocks: two waves of two blocks a SM (640 cycles a trip), a tail of one (320).
  const auto p = predict(round_kernel(45, 1), round_device());
  CHECK(p.time.value() == Approx(1e-6 + (2 * 640 + 320) * 1e-9));
}

TEST_CASE("predict (A9): a tail has the bandwidth to itself", "[analytic]") {
  auto device = round_device();
  device.l2_latency = {};
  device.dram_latency = {};
  auto k = round_kernel(25, 1);
  k.phases[0].warp = {};
  k.phases[0].fetched = Bytes{1e5};
  // 20 blocks ask for 2e6 B at 1e11 B/s = 20 us; five blocks for 5e5 B = 5 us.
  const auto p = predict(k, device);
  CHECK(p.time.value() == Approx(1e-6 + 20e-6 + 5e-6));
  CHECK(p.limiter == "l2");
}

TEST_CASE("predict: a bound switched off is neither listed nor felt", "[analytic]") {
  const auto p = predict(round_kernel(10, 50), round_device(), {.without = {"shared", "launch"}});
  CHECK(p.time.value() == Approx(50 * 260e-9));
  CHECK(p.limiter == "issue");
  CHECK(std::ranges::find(p.bounds, "shared", &Bound::name) == p.bounds.end());
  CHECK_THROWS_AS(predict(round_kernel(1, 1), round_device(), {.without = {"fmaa"}}), InputError);
  CHECK(predict(round_kernel(1, 1), round_device(), {.without = bound_names()}).time.value() == 0);
}

TEST_CASE("predict: bounds that the profile has no value for are left out and named", "[analytic]") {
  auto device = round_device();
  CHECK(unknown_bounds(device).empty());
  device.l2_read = {};
  device.barrier = {};
  CHECK(unknown_bounds(device) == std::vector<std::string>{"l2", "barrier"});
  const auto p = predict(pipelined(30, 4, 4096, 100), device);
  CHECK(std::ranges::find(p.bounds, "l2", &Bound::name) == p.bounds.end());
  device.sm_clock = {};
  CHECK_THROWS_AS(predict(round_kernel(1, 1), device), UnavailableError);
}

TEST_CASE("predict: never below any single bound; all others zero without them", "[analytic]") {
  for (const std::int64_t blocks : {1, 10, 19, 45, 1000}) {
    for (const double bytes : {0.0, 512.0, 65536.0}) {
      for (const double ffma : {0.0, 64.0, 2048.0}) {
        for (const auto caches : {Caches::warm, Caches::cold}) {
          const auto p = predict(pipelined(blocks, 7, bytes, ffma), round_device(), {.caches = caches});
          for (const auto& b : p.bounds) {
            INFO(b.name << " blocks " << blocks << " bytes " << bytes << " ffma " << ffma);
            CHECK(p.time.value() >= b.time.value() * (1 - 1e-12));
          }
          CHECK(p.low <= p.time);
          CHECK(p.high >= p.time);
        }
      }
    }
  }
}

TEST_CASE("predict: more FMAs, more bytes, more blocks or more trips never take less time", "[analytic]") {
  const auto device = round_device();
  const auto time = [&](std::int64_t blocks, double trips, double bytes, double ffma, Caches caches) {
    return predict(pipelined(blocks, trips, bytes, ffma), device, {.caches = caches}).time.value();
  };
  for (const auto caches : {Caches::warm, Caches::cold}) {
    for (double scale = 1; scale < 5000; scale *= 1.5) {
      CHECK(time(30, 5, 256, 10 * scale * 1.5, caches) >= time(30, 5, 256, 10 * scale, caches));
      CHECK(time(30, 5, 64 * scale * 1.5, 100, caches) >= time(30, 5, 64 * scale, 100, caches));
      CHECK(time(30, 2 * scale * 1.5, 256, 100, caches) >= time(30, 2 * scale, 256, 100, caches));
    }
    for (std::int64_t blocks = 1; blocks < 100; ++blocks)
      CHECK(time(blocks + 1, 5, 4096, 100, caches) >= time(blocks, 5, 4096, 100, caches) * (1 - 1e-12));
  }
}

TEST_CASE("predict: cold caches never take less time than warm ones", "[analytic]") {
  const auto device = round_device();
  for (const double bytes : {64.0, 4096.0, 262144.0}) {
    const auto k = pipelined(40, 3, bytes, 50);
    CHECK(predict(k, device, {.caches = Caches::cold}).time >= predict(k, device).time);
  }
}

TEST_CASE("predict (A12): the interval follows the parameters of the bounds, the clock among them",
          "[analytic]") {
  auto device = round_device();
  ParameterInfo clock;
  clock.low = 0.8e9;
  clock.high = 1.25e9;
  device.sm_clock.set(Frequency{1e9}, clock);
  const auto p = predict(round_kernel(10, 50), device, {.without = {"launch"}});
  CHECK(p.low.value() == Approx(0.8 * p.time.value()));    // 1 / 1.25
  CHECK(p.high.value() == Approx(1.25 * p.time.value()));  // 1 / 0.8

  ParameterInfo rate;
  rate.low = 64;
  rate.high = 128;
  device.shared_read.set(BytesPerCycle{128}, rate);
  const auto wider = predict(round_kernel(10, 50), device, {.without = {"launch"}});
  CHECK(wider.limiter == "shared");
  // Measured apart: a quarter longer by the clock and twice as long by the rate, in quadrature.
  CHECK(wider.high.value() == Approx((1 + std::hypot(0.25, 1)) * wider.time.value()));
}

TEST_CASE("predict (A12): register ports widen an FMA-bound interval on two-banked register files",
          "[analytic]") {
  auto device = round_device();
  auto k = round_kernel(10, 50);
  k.phases[0].warp = {};
  k.phases[0].warp.ffma = 100;
  CHECK(predict(k, device).high == predict(k, device).time);
  device.compute_capability_major = 9;
  const auto p = predict(k, device, {.without = {"launch", "issue"}});
  CHECK(p.limiter == "fma");
  CHECK(p.high.value() == Approx(1.5 * p.time.value()));
  k.phases[0].warp.integer = 20;  // issue limits: 120 slots to 100 FMAs, which may take 150 cycles
  const auto mixed = predict(k, device, {.without = {"launch"}});
  CHECK(mixed.limiter == "issue");
  CHECK(mixed.high.value() == Approx(1.25 * mixed.time.value()));
}

TEST_CASE("predict (A12): a measured register tile needs no allowance for its ports", "[analytic]") {
  auto device = round_device();
  device.compute_capability_major = 9;
  device.fma_rate_over_register_tile = {{8}, {8}, {80}, {}};
  auto k = round_kernel(10, 50);
  k.register_tile = RegisterTile{8, 8};
  k.phases[0].warp = {};
  k.phases[0].warp.ffma = 100;
  const auto p = predict(k, device, {.without = {"launch"}});
  CHECK(p.time.value() == Approx(50 * 2 * 160e-9));
  CHECK(p.high == p.time);
}

TEST_CASE("predict (A8, A11): the first wave's launch adds up, the others' blocks are a floor",
          "[analytic]") {
  auto device = round_device();  // ten SMs, two blocks each
  device.launch_over_blocks_and_threads = {{1, 2}, {256}, {1e-6, 3e-6}, {}};
  // Two waves of two blocks: 3 us + 2 x 640 cycles a trip; the dispatch of four a SM alone: 7 us.
  CHECK(predict(round_kernel(40, 1), device).time.value() == Approx(7e-6));
  CHECK(bound(predict(round_kernel(40, 1), device), "launch").value() == Approx(7e-6));
  // Without the 53 cycles of blocks that only leave.
  CHECK(predict(round_kernel(40, 10), device).time.value() == Approx(3e-6 - 53e-9 + 2 * 10 * 640e-9));
  CHECK(predict(round_kernel(4, 10), device).time.value() == Approx(1e-6 - 53e-9 + 10 * 320e-9));
  // It is the device that hands them out: half of the SMs with a block less are half a block.
  CHECK(predict(round_kernel(45, 1), device).time.value() == Approx(8e-6));
}

TEST_CASE("predict (A6, A11): a kernel that stores waits once for its last stores", "[analytic]") {
  auto k = round_kernel(45, 1);  // three waves
  const auto before = predict(k, round_device()).time;
  k.phases[0].stored = Bytes{4};  // 20 blocks x 4 B at 1e11 B/s: far below the 320 cycles
  CHECK((predict(k, round_device()).time - before).value() == Approx(200e-9));
  CHECK(predict(k, round_device(), {.without = {"latency"}}).time == before);
}
