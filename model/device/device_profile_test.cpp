#include "model/device/device_profile.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("interpolate: linear in log2(x), clamped outside", "[device]") {
  Curve curve;
  curve.x = {1, 4, 16};
  curve.y = {10, 30, 30};
  CHECK(interpolate(curve, 2) == Approx(20));  // half way between 2^0 and 2^2
  CHECK(interpolate(curve, 4) == Approx(30));
  CHECK(interpolate(curve, 1) == 10);
  CHECK(interpolate(curve, 0.25) == 10);
  CHECK(interpolate(curve, 1e6) == 30);
  CHECK_THROWS_AS(interpolate(Curve{}, 1), UnavailableError);
}

TEST_CASE("derived constants: V_s of Chang et al. for the GTX 1080 Ti", "[device]") {
  DeviceProfile device;
  device.dram_latency.set(Cycles{258});
  device.dram_peak.set(Bandwidth{484e9});
  device.sm_clock.set(Frequency{1480e6});
  // 484e9 / 1480e6 = 327.027 B/cycle; the paper rounds to 327 and so prints 84,366.
  CHECK(derived_v_s(device).value() == Approx(84372.97).epsilon(1e-6));
}

TEST_CASE("derived constants: a missing latency is named", "[device]") {
  const DeviceProfile device;
  CHECK_THROWS_AS(derived_v_s(device), UnavailableError);
}

TEST_CASE("nearest: row and column by ratio, the smaller at a tie", "[device]") {
  const Table2D table{{1, 4, 8}, {2, 8}, {12, 18, 42, 48, 82, 88}, {}};
  CHECK(nearest(table, 8, 8) == 88);
  CHECK(nearest(table, 1, 1) == 12);
  CHECK(nearest(table, 32, 64) == 88);
  CHECK(nearest(table, 2, 8) == 18);  // 2 is as far from 1 as from 4
  CHECK(nearest(table, 3, 5) == 48);
  CHECK_THROWS_AS(nearest(Table2D{}, 1, 1), UnavailableError);
}

TEST_CASE("interpolate: a table, linear between its points and flat outside", "[device]") {
  const Table2D table{{1, 3}, {10, 20}, {1, 2, 5, 10}, {}};
  CHECK(interpolate(table, 1, 10) == 1);
  CHECK(interpolate(table, 3, 20) == 10);
  CHECK(interpolate(table, 2, 10) == Approx(3));
  CHECK(interpolate(table, 2, 15) == Approx(4.5));
  CHECK(interpolate(table, 0, 5) == 1);
  CHECK(interpolate(table, 9, 90) == 10);
  CHECK_THROWS_AS(interpolate(Table2D{}, 1, 1), UnavailableError);
}
