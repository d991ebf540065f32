#include "model/analytic/traffic.hpp"

#include "model/analytic/analytic_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

TEST_CASE("miss fraction (A5): warm, what exceeds the capacity; cold, everything", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  CHECK(miss_fraction(Bytes{0.9e6}, machine, Caches::warm) == 0);
  CHECK(miss_fraction(Bytes{4e6}, machine, Caches::warm) == 0.75);
  CHECK(miss_fraction(Bytes{0.9e6}, machine, Caches::cold) == 1);
}

TEST_CASE("miss fraction (A5): from the measured curve where there is one", "[analytic]") {
  auto device = round_device();
  device.l2_read_private_over_footprint.x = {1e5, 2e5, 4e5, 8e5, 1.6e6};
  device.l2_read_private_over_footprint.y = {9.9e10, 1e11, 2e10, 1e10, 1e10};
  const auto machine = machine_of(device);
  CHECK(miss_fraction(Bytes{1e5}, machine, Caches::warm) == 0);
  // (1/2e10 - 1/1e11) / (1/1e10 - 1/1e11) = 4 / 9
  CHECK(miss_fraction(Bytes{4e5}, machine, Caches::warm) == Approx(4.0 / 9));
  CHECK(miss_fraction(Bytes{1e6}, machine, Caches::warm) == Approx(1));
  // Less than the curve's own scatter is none; what is not resident misses, whatever the bandwidth.
  CHECK(miss_fraction(Bytes{1.05e5}, machine, Caches::warm) == 0);
  device.l2_hit_rate_over_footprint.x = {1e5, 2e5, 4e5};
  device.l2_hit_rate_over_footprint.y = {1, 0.7, 0.4};
  CHECK(miss_fraction(Bytes{2e5}, machine_of(device), Caches::warm) == Approx(0.3));
  CHECK(miss_fraction(Bytes{4e5}, machine_of(device), Caches::warm) == Approx(0.6));
}

TEST_CASE("traffic (A5): exact bytes of the grid, first touches alone reach DRAM", "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(10, 4);
  k.phases[0].fetched = Bytes{100000};  // 10 x 4 x 100,000 = 4e6 asked if every block did the same
  k.phases[0].stored = Bytes{50000};
  k.streams = {{"input", false, Bytes{1.5e6}, Bytes{3e6}}, {"output", true, Bytes{0.5e6}, Bytes{2e6}}};
  const auto t = traffic_of(k, machine_of(device), Caches::warm);
  CHECK(t.l2_read_share == 0.75);
  CHECK(t.l2_write_share == 1);
  CHECK(t.dram_read_share == 0.25);  // working set 2e6, half of it misses; 1.5 of 3 MB are first touches
  CHECK(t.dram_write_share == 0.125);
}
