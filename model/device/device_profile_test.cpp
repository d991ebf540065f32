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

TEST_CASE("derived constants: those of Chang et al. for the GTX 1080 Ti", "[device]") {
  DeviceProfile device;
  device.dram_latency.set(Cycles{258});
  device.fp32_lanes_per_sm.set(128);
  device.dram_peak.set(Bandwidth{484e9});
  device.sm_clock.set(Frequency{1480e6});
  CHECK(derived_n_fma(device, 2) == 66048);  // their N_FMA
  CHECK(derived_n_fma(device, 1) == 33024);
  // 484e9 / 1480e6 = 327.027 B/cycle; the paper rounds to 327 and so prints 84,366.
  CHECK(derived_v_s(device).value() == Approx(84372.97).epsilon(1e-6));
}

TEST_CASE("derived constants: a missing latency is named", "[device]") {
  const DeviceProfile device;
  CHECK_THROWS_AS(derived_n_fma(device, 2), UnavailableError);
  CHECK_THROWS_AS(derived_v_s(device), UnavailableError);
}
