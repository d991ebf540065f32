#include "model/device/derived.hpp"

#include <algorithm>

#include "model/device/load.hpp"
#include "model/device/parameters.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

ParameterInfo between(double low, double high) {
  ParameterInfo info;
  info.low = low;
  info.high = high;
  return info;
}

const DerivedValue* find(const std::vector<DerivedValue>& values, std::string_view key) {
  const auto found = std::ranges::find(values, key, &DerivedValue::key);
  return found == values.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("derived: V_s and N_FMA with the ends of their inputs' intervals", "[device]") {
  DeviceProfile device;
  device.dram_latency.set(Cycles{600}, between(590, 620));
  device.fp32_lanes_per_sm.set(128);
  device.sm_clock.set(Frequency{2e9}, between(1.98e9, 2e9));
  device.dram_read.set(Bandwidth{4e12}, between(3.96e12, 4.04e12));
  device.v_s_95.set(Bytes{2.4e6}, between(2.3e6, 2.5e6));
  const auto values = derived_values(device);
  const auto* n_fma = find(values, "n_fma_derived_fmas");
  REQUIRE(n_fma);
  CHECK(n_fma->estimate.value == 600 * 128);
  CHECK(n_fma->estimate.low == 590 * 128);
  CHECK(n_fma->estimate.high == 620 * 128);
  CHECK(find(values, "n_fma_derived_flops")->estimate.value == 2 * 600 * 128);
  const auto* v_s = find(values, "v_s_derived_bytes");  // 300 ns x 4 TB/s
  REQUIRE(v_s);
  CHECK(v_s->estimate.value == Approx(1.2e6));
  CHECK(v_s->estimate.low == Approx(3.96e12 * 590 / 2e9));
  CHECK(v_s->estimate.high == Approx(4.04e12 * 620 / 1.98e9));
  const auto* ratio = find(values, "v_s_95_over_derived_ratio");
  REQUIRE(ratio);
  CHECK(ratio->estimate.value == Approx(2));
  CHECK(ratio->estimate.low == Approx(2.3e6 / v_s->estimate.high));
  CHECK(ratio->estimate.high == Approx(2.5e6 / v_s->estimate.low));
  CHECK_FALSE(find(values, "v_s_peak_bytes"));  // no peak in the profile
  device.dram_peak.set(Bandwidth{5e12}, between(5e12, 5e12));
  const auto with_peak = derived_values(device);  // 1.5e6 bytes
  const auto* over_peak = find(with_peak, "v_s_95_over_peak_ratio");
  REQUIRE(over_peak);
  CHECK(over_peak->estimate.value == Approx(1.6));
  CHECK(derived_values(DeviceProfile{}).empty());
}

TEST_CASE("derived: keys end in their unit and are no parameter's", "[device]") {
  for (const auto& value : derived_values(load_device("h200"))) {
    INFO(value.key);
    CHECK(find_parameter(value.key) == nullptr);
    CHECK(value.key.ends_with(value.unit == "FMA" ? "_fmas" : "_" + value.unit));
    CHECK(value.estimate.low < value.estimate.value);
    CHECK(value.estimate.value < value.estimate.high);
  }
}
