#include "model/analytic/traffic.hpp"

#include "model/analytic/analytic_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

TEST_CASE("missed (A5): warm, by the part of L2 that a set takes; cold, everything", "[analytic]") {
  const auto device = round_device();  // an L2 of 1e6 bytes
  const auto machine = machine_of(device);
  CHECK(missed(Bytes{0.57e6}, machine, Caches::warm) == 0);
  CHECK(missed(Bytes{0.795e6}, machine, Caches::warm) == Approx((0.29 + 0.78) / 2));
  CHECK(missed(Bytes{4e6}, machine, Caches::warm) == 1);
  CHECK(missed(Bytes{0.5e6}, machine, Caches::cold) == 1);
}

TEST_CASE("written back (A5): L2 keeps fewer written bytes than read ones", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const auto share = [&](double written, double touched) {
    return written_back(Bytes{written}, Bytes{touched}, machine, Caches::warm);
  };
  CHECK(share(0.38e6, 0.38e6) == 0.01);
  CHECK(share(0.54e6, 0.54e6) == Approx((0.29 + 0.61) / 2));
  CHECK(share(0.1e6, 0.89e6) == Approx(0.97));  // what is read takes its place
  CHECK(share(0.7e6, 0.7e6) == Approx(0.97));
}

TEST_CASE("traffic (A5): exact bytes of the grid, first touches alone reach DRAM", "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(10, 4);
  k.phases[0].fetched = Bytes{100000};  // 10 x 4 x 100,000 = 4e6 asked if every block did the same
  k.phases[0].stored = Bytes{50000};
  k.streams = {{"input", false, Bytes{1.5e6}, Bytes{3e6}}, {"output", true, Bytes{0.5e6}, Bytes{2e6}}};
  const auto t = traffic_of(k, 10, machine_of(device), Caches::warm);
  CHECK(t.l2_read_share == 0.75);
  CHECK(t.l2_write_share == 1);
  CHECK(t.dram_read_share == 0.5);  // all of 2e6 bytes misses; 1.5 of 3 MB are first touches
  CHECK(t.dram_write_share == 0.25);
}

TEST_CASE("traffic (A5): a tensor beyond L2 is read again by each walk of the blocks", "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(400, 1);
  k.phases[0].fetched = Bytes{40000};
  // Four walks of 100 blocks over 2 MB, of which L2 keeps nothing; the filters are never walked again.
  k.streams = {{"input", false, Bytes{2e6}, Bytes{15e6}, 4, 100, Bytes{2.1e6}},
               {"filters", false, Bytes{0.5e6}, Bytes{1e6}}};
  const auto machine = machine_of(device);
  const auto share = [&](double at_once) {
    return traffic_of(k, at_once, machine, Caches::warm).dram_read_share;
  };
  CHECK(share(20) == Approx((4 * 2e6 + 0.5e6) / 16e6));
  CHECK(share(200) == Approx((2 * 2e6 + 0.5e6) / 16e6));   // blocks of two walks run together
  CHECK(share(1000) == Approx((1 * 2e6 + 0.5e6) / 16e6));  // of all four
  k.streams[0].touched_in_walk = Bytes{0.5e6};             // what a walk touches stays in L2
  CHECK(share(20) == Approx((2e6 + 0.5e6) / 16e6));
}

TEST_CASE("traffic (A5): what is written to be evicted first takes no room from what is read", "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(10, 1);
  k.phases[0].fetched = Bytes{1e4};
  k.phases[0].stored = Bytes{1e5};
  k.streams = {{"input", false, Bytes{1e5}, Bytes{1e5}}, {"output", true, Bytes{1e6}, Bytes{1e6}}};
  CHECK(traffic_of(k, 10, machine_of(device), Caches::warm).dram_read_share == 1);
  k.streams[1].evicted_first = true;
  const auto t = traffic_of(k, 10, machine_of(device), Caches::warm);
  CHECK(t.dram_read_share == 0);
  CHECK(t.dram_write_share == Approx(0.98).margin(0.001));
}
