#include "model/device/check.hpp"

#include <set>

#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// A device whose numbers are round: latency 1 us at 1 GHz, 1 TB/s read, so Little's V_s is 1 MB.
DeviceProfile sound() {
  DeviceProfile device = load_device("h100");
  ParameterInfo info;
  device.sm_clock.set(Frequency{1e9}, info);
  device.dram_latency.set(Cycles{1000}, info);
  device.dram_peak.set(Bandwidth{1.1e12}, info);
  device.dram_read.set(Bandwidth{1e12}, info);
  device.dram_write.set(Bandwidth{1e12}, info);
  device.dram_copy.set(Bandwidth{1e12}, info);
  device.v_s_95.set(Bytes{2e6}, info);
  device.v_s_99.set(Bytes{3e6}, info);
  Curve& curve = device.dram_read_over_bytes_in_flight;
  curve.x = {1e5, 1e6, 2e6, 4e6};
  curve.y = {0.1e12, 0.7e12, 0.95e12, 1e12};
  Table2D& table = device.fma_rate_over_warps_and_ilp;  // 4 cycles: 8 FMAs/cycle a warp and chain
  table.rows = {1, 4, 16};
  table.columns = {1, 4};
  table.y = {8, 32, 32, 112, 112, 112};
  return device;
}

// Names of the checks that a profile fails.
std::set<std::string_view> failed(const DeviceProfile& device) {
  std::set<std::string_view> names;
  for (const auto& violation : check_device(device))
    names.insert(violation.check);
  return names;
}

using Names = std::set<std::string_view>;

}  // namespace

TEST_CASE("checks: shipped profiles pass", "[device]") {
  for (const auto& name : device_names()) {
    const auto violations = check_device(load_device(name));
    for (const auto& violation : violations)
      UNSCOPED_INFO(name << ": " << violation.check << ": " << violation.message);
    CHECK(violations.empty());
  }
}

TEST_CASE("checks: a profile with curves and table passes", "[device]") {
  for (const auto& violation : check_device(sound()))
    UNSCOPED_INFO(violation.check << ": " << violation.message);
  CHECK(failed(sound()).empty());
}

TEST_CASE("checks: what is absent is not judged", "[device]") {
  CHECK(failed(DeviceProfile{}).empty());
}

TEST_CASE("checks: latencies out of order", "[device]") {
  auto device = sound();
  device.l1_latency.set(Cycles{300});  // above the 280 of L2
  CHECK(failed(device) == Names{"latency-order"});
  CHECK(check_device(device).at(0).message == "l1_latency_cycles = 300 is not below l2_latency_cycles = 280");

  device = sound();
  device.l2_far_latency.set(Cycles{200});
  CHECK(failed(device) == Names{"latency-order"});

  // A "DRAM" chase whose footprint fits L2.
  device = load_device("h100");
  device.dram_latency.set(Cycles{280});
  CHECK(failed(device).count("latency-order") == 1);

  device = sound();
  device.shared_latency.set(Cycles{500});
  CHECK(failed(device) == Names{"latency-order"});
}

TEST_CASE("checks: a clock in MHz, a latency in ns of another magnitude, a negative-looking size",
          "[device]") {
  auto device = load_device("h100");
  device.sm_clock.set(Frequency{1980});
  CHECK(failed(device).count("plausible-range") == 1);
  device = load_device("h100");
  device.l2_size.set(Bytes{50});  // MiB
  CHECK(failed(device) == Names{"plausible-range"});
}

TEST_CASE("checks: base clock above boost clock", "[device]") {
  auto device = load_device("gtx-1080-ti");
  device.base_clock.set(Frequency{1600e6});
  CHECK(failed(device) == Names{"clocks"});
}

TEST_CASE("checks: an interval that misses its value", "[device]") {
  auto device = sound();
  ParameterInfo info;
  info.low = 25;
  info.high = 30;
  device.l1_latency.set(Cycles{33}, info);
  CHECK(failed(device) == Names{"interval"});
  CHECK(check_device(device).at(0).message == "l1_latency_cycles = 33 lies outside its interval [25, 30]");
  device = sound();
  device.dram_read_over_bytes_in_flight.y_low = {0.09e12, 0.6e12, 0.96e12, 0.9e12};
  device.dram_read_over_bytes_in_flight.y_high = {0.11e12, 0.8e12, 0.97e12, 1.1e12};
  CHECK(failed(device) == Names{"interval"});
}

TEST_CASE("checks: bandwidth above the memory's peak means cache hits", "[device]") {
  for (auto member : {&DeviceProfile::dram_read, &DeviceProfile::dram_write, &DeviceProfile::dram_copy}) {
    auto device = load_device("h100");  // 3.35 TB/s
    (device.*member).set(Bandwidth{5e12});
    CHECK(failed(device).count("dram-peak") == 1);
    (device.*member).set(Bandwidth{3.36e12});  // 0.3 % above: noise
    CHECK(failed(device).count("dram-peak") == 0);
  }
  auto device = sound();
  device.dram_read_over_bytes_in_flight.y.back() = 1.2e12;
  CHECK(failed(device) == Names{"dram-peak"});
}

TEST_CASE("checks: L2 slower than DRAM", "[device]") {
  auto device = load_device("a100");
  device.l2_read.set(Bandwidth{1.5e12});
  CHECK(failed(device) == Names{"l2-above-dram"});
}

TEST_CASE("checks: FMA rates above the lanes, or divided by all SMs where few ran", "[device]") {
  auto device = sound();
  device.fma_rate.set(PerCycle{223});  // flops taken for FMAs
  CHECK(failed(device) == Names{"fma-lanes"});
  device.fma_rate.set(PerCycle{13.5});  // 16 blocks, divided by 132 SMs: a published mistake
  CHECK(failed(device) == Names{"fma-reached"});
  device = sound();
  device.fma_rate_over_warps_and_ilp.y[5] = 140;
  CHECK(failed(device) == Names{"fma-lanes"});
  device = sound();
  device.fma_rate_over_register_tile = {{8}, {4, 8}, {120, 88}, {}};
  CHECK(failed(device).empty());
  device.fma_rate_over_register_tile.y[0] = 140;
  CHECK(failed(device) == Names{"fma-lanes"});
}

TEST_CASE("checks: more FMAs a cycle than warps, chains and latency allow", "[device]") {
  auto device = sound();
  device.fma_rate_over_warps_and_ilp.y[0] = 16;  // one warp, one chain, 4 cycles: 8 at most
  CHECK(failed(device) == Names{"fma-latency"});
  device = sound();
  device.fma_latency.set(Cycles{29});  // loop overhead measured with the chain: a published mistake
  CHECK(failed(device) == Names{"fma-latency"});
}

TEST_CASE("checks: shared memory above its 32 banks", "[device]") {
  auto device = sound();
  device.shared_read.set(BytesPerCycle{256});
  CHECK(failed(device) == Names{"shared-peak"});
}

TEST_CASE("checks: the slope at few bytes in flight against the chase", "[device]") {
  auto device = sound();
  device.dram_read_over_bytes_in_flight.y[0] = 0.05e12;  // 1e5 / 0.05e12 = 2 us, the chase says 1 us
  CHECK(failed(device) == Names{"slope"});
  CHECK(check_device(device).at(0).message.find("(ratio 2.00, expected within 25 %)") != std::string::npos);
  device.dram_read_over_bytes_in_flight.y[0] = 0.085e12;  // 1.18 us: address arithmetic
  CHECK(failed(device).empty());
}

TEST_CASE("checks: more bandwidth than bytes in flight can carry", "[device]") {
  auto device = sound();
  // 0.95e12 x 1 us needs 0.95 MB; the curve claims it with 0.5 MB.
  device.dram_read_over_bytes_in_flight.x = {1e5, 5e5, 2e6, 4e6};
  device.dram_read_over_bytes_in_flight.y = {0.1e12, 0.95e12, 0.95e12, 1e12};
  CHECK(failed(device) == Names{"little"});
}

TEST_CASE("checks: a V_s below Little's", "[device]") {
  auto device = sound();
  device.v_s_95.set(Bytes{5e5});  // Little: 0.95 MB
  CHECK(failed(device) == Names{"v-s"});
  device = sound();
  device.v_s_99.set(Bytes{1.5e6});  // below that of 95 %
  CHECK(failed(device) == Names{"v-s"});
}

TEST_CASE("checks: limits of a block that an SM has not", "[device]") {
  auto device = load_device("v100");
  device.shared_per_block.set(Bytes{200e3});
  CHECK(failed(device) == Names{"limits"});
}

TEST_CASE("checks: each has a name and a rule of its own", "[device]") {
  std::set<std::string_view> names;
  for (const auto& check : device_checks()) {
    CHECK(names.insert(check.name).second);
    CHECK_FALSE(check.rule.empty());
  }
}
