#include "model/analytic/storing.hpp"

#include <cmath>

#include "model/analytic/analytic_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

TEST_CASE("storing (A5): a load waits behind packets that running blocks store, at most 1150", "[analytic]") {
  CHECK(packets_ahead(0) == 0);
  CHECK(packets_ahead(64) == Approx(58 / 4.0));
  CHECK(packets_ahead(std::sqrt(2000.0 * 1000)) == Approx((280 + 630) / 2.0));  // along the logarithm
  CHECK(packets_ahead(4000) == 960);
  CHECK(packets_ahead(1e6) == 1150);
}

TEST_CASE("storing (A5): blocks store what time they neither compute nor wait", "[analytic]") {
  const auto device = round_device();
  auto machine = machine_of(device);
  auto kernel = round_kernel(1000, 1);
  Phase store;
  store.active_warps = 8;
  store.warp.global_store.sectors = 100;
  store.warp.global_store.masks = 25;  // 1000 packets a block
  kernel.phases.push_back(store);
  const double before = cycles_before_stores(kernel, machine);
  REQUIRE(before > 0);
  const auto share = [&](double blocks, double cycles) {
    return storing_share(kernel, machine, blocks, cycles);
  };
  // One block: what it computes, then what it stores. Of many, what all of them store is longer.
  CHECK(share(1, before) == Approx(0.5));
  CHECK(share(1, 3 * before) == Approx(0.75));
  CHECK(share(4, before) == Approx(0.75));
  // A load that is waited for: with two blocks behind 630 of the 2000 packets that each stores.
  kernel.phases[0].exposed_latencies = 1;
  CHECK(share(2, 2 * before) == Approx(1 - (1 + 0.63 * 2) / (2 + 1 + 0.63 * 2)));
  CHECK(share(8, 2 * before) == Approx(1 - (1 + 1.11 * 2) / (8 * 2)));
  // Loads for its own trip are waited for, too.
  kernel.phases[0].exposed_latencies = 0;
  kernel.phases[0].fetched = Bytes{128};
  CHECK(share(8, 2 * before) == Approx(1 - (1 + 1.11 * 2) / (8 * 2)));
  // A shared load: behind one of 25 stores of two warps of each scheduler of seven other blocks.
  kernel.phases[0].fetched = {};
  kernel.phases[0].code = CodeSegments{};
  machine.shared_latency = Cycles{20};
  kernel.phases[0].code->compute.shared_waits = 10 * 20;
  kernel.phases[1].warp.global_store.w128 = 25;
  const double turn = 7.0 / 25 / machine.schedulers;
  CHECK(share(8, 2 * before) == Approx(1 - (1 + 10 * turn * 2) / (8 * 2)));
  // Nothing stored by a whole warp: no share to speak of.
  kernel.phases[1].warp.global_store = {};
  CHECK(share(8, 2 * before) == 1);
}
