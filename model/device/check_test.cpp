#include "model/device/check.hpp"

#include <algorithm>
#include <set>

#include "model/device/load.hpp"
#include "model/device/parameters.hpp"
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
  device.l2_read.set(Bandwidth{5e12}, info);
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

bool set_value(DeviceProfile& device, std::string_view key, double value) {
  const ParameterRow* row = find_parameter(key);
  if (row) row->set(device, value, {});
  return row != nullptr;
}

bool set_curve(DeviceProfile& device, std::string_view key, std::vector<double> x, std::vector<double> y) {
  for (const auto& row : curve_rows()) {
    if (row.key == key) {
      device.*row.member = {std::move(x), std::move(y)};
      return true;
    }
  }
  return false;
}

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
  device = sound();
  Table2D& table = device.fma_rate_over_warps_and_ilp;
  table.y_low = table.y_high = table.y;
  CHECK(failed(device).empty());
  table.y_high[0] = table.y[0] * 0.9;
  CHECK(failed(device) == Names{"interval"});
}

TEST_CASE("checks: what was measured has an interval, unless it was counted", "[device]") {
  auto device = sound();
  ParameterInfo info;
  info.provenance.kind = SourceKind::measured;
  info.provenance.run = "latency 1";
  MeasurementRun run;
  run.id = info.provenance.run;
  run.probe = "latency";
  device.runs.push_back(run);
  const auto fails = [&] { return failed(device).count("interval-known") == 1; };
  device.l1_latency.set(Cycles{33}, info);
  CHECK(fails());
  info.low = info.high = 33;
  device.l1_latency.set(Cycles{33}, info);
  CHECK_FALSE(fails());
  info.low = info.high = std::nullopt;
  device.sm_count.set(132, info);  // a whole number that the driver tells
  CHECK_FALSE(fails());
  Table2D& table = device.operand_cycles_over_outer_product;
  table = {{4}, {4}, {1.25}, {}, {}, {}, info.provenance};
  CHECK(fails());
  table.provenance.source = "counted in the machine code";
  CHECK_FALSE(fails());
  table.provenance.source = "timed";
  CHECK(fails());
  device.runs.front().quick = true;
  CHECK_FALSE(fails());
  device.runs.front().quick = false;
  table.y_low = table.y_high = table.y;
  CHECK_FALSE(fails());
}

TEST_CASE("checks: clusters reach no more SMs than there are, an SM holds no more blocks than it takes",
          "[device]") {
  auto device = sound();  // 132 SMs of 32 blocks and 2048 threads
  device.cluster_sms_over_blocks.x = {2, 16};
  device.cluster_sms_over_blocks.y = {132, 112};
  Table2D& resident = device.resident_blocks_over_cluster_and_threads;
  resident.rows = {1, 4};
  resident.columns = {32, 256};
  resident.y = {31.5, 7.9, 28, 7};
  CHECK(failed(device).empty());
  resident.y[1] = 9;  // 2048 / 256 = 8
  CHECK(failed(device) == Names{"clusters"});
  resident.y[1] = 7.9;
  device.cluster_sms_over_blocks.y[0] = 264;
  CHECK(failed(device) == Names{"clusters"});
  device.cluster_sms_over_blocks.y[0] = 132;
  device.cluster_blocks_over_cluster_and_fit = {{4}, {1, 6}, {120, 744}, {}};
  CHECK(failed(device).empty());
  device.cluster_blocks_over_cluster_and_fit.y[1] = 800;  // 132 x 6 = 792
  CHECK(failed(device) == Names{"clusters"});
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
  CHECK(failed(device) == Names{"dram-peak", "plateau"});  // nor is 1e12 its plateau any more
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
  device = sound();
  device.shared_return.set(BytesPerCycle{254.6});  // what lanes share leaves the banks once
  CHECK(failed(device).empty());
  device.shared_return.set(BytesPerCycle{300});
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

TEST_CASE("checks: FMA rates below what few warps must reach, with idle lanes", "[device]") {
  auto device = sound();
  device.fma_rate_over_warps_and_ilp.y[0] = 6;  // one warp, one chain, 4 cycles: 8
  CHECK(failed(device) == Names{"fma-latency"});
  device = sound();
  device.fma_latency.set(Cycles{2});  // chains overlapped: half the latency
  CHECK(failed(device) == Names{"fma-latency"});
  device = sound();
  device.fma_rate_over_warps_and_ilp.y[4] = 90;  // 16 warps: saturated, ports may limit
  CHECK(failed(device).empty());
}

TEST_CASE("checks: lanes of another GPU of the family", "[device]") {
  auto device = load_device("a100");
  device.fp32_lanes_per_sm.set(128);
  CHECK(failed(device).count("lanes") == 1);
}

TEST_CASE("checks: L2 faster than its port means hits in L1", "[device]") {
  auto device = sound();  // 132 SMs x 64 bytes x 1 GHz = 8.448 TB/s
  device.l2_read.set(Bandwidth{8.4e12});
  CHECK(failed(device).empty());
  device.l2_read.set(Bandwidth{9e12});
  CHECK(failed(device) == Names{"l2-peak"});
}

TEST_CASE("checks: a latency curve that never leaves L2", "[device]") {
  auto device = load_device("h100");  // 50 MiB of L2, latency 280
  Curve& curve = device.latency_over_footprint;
  curve.x = {1e4, 1e6, 3e8};
  curve.y = {33, 280, 600};
  CHECK(failed(device).empty());
  curve.x = {1e4, 1e6, 7e6};
  curve.y = {33, 280, 285};
  CHECK(failed(device) == Names{"footprint"});
  CHECK(check_device(device).size() == 2);
}

TEST_CASE("checks: bandwidth times the latency under that load", "[device]") {
  // 1 GHz, 1000 cycles idle; 0.7e12 bytes/s with 1 MB in flight allow 1.43 us.
  auto device = sound();
  REQUIRE(set_curve(device, "dram_latency_over_load", {0.1e12, 0.7e12, 0.95e12}, {1000, 1400, 2000}));
  CHECK(failed(device).empty());
  REQUIRE(set_curve(device, "dram_latency_over_load", {0.1e12, 0.7e12, 0.95e12}, {1000, 1900, 2000}));
  CHECK(failed(device) == Names{"loaded-little"});
}

TEST_CASE("checks: latency under load begins at the idle one, quantiles in order", "[device]") {
  auto device = sound();  // idle: 1000 cycles
  const std::vector<double> load = {0.1e12, 0.7e12};
  REQUIRE(set_curve(device, "dram_latency_over_load", load, {1050, 1300}));
  REQUIRE(set_curve(device, "dram_latency_p10_over_load", load, {1000, 1200}));
  REQUIRE(set_curve(device, "dram_latency_p90_over_load", load, {1100, 1500}));
  CHECK(failed(device).empty());
  REQUIRE(set_curve(device, "dram_latency_p90_over_load", load, {1100, 1250}));
  CHECK(failed(device) == Names{"loaded-latency"});
  device = sound();
  // 1300 cycles at 0.1e12 bytes/s are 130 kB in flight, where 100 kB were measured: the second check sees it
  // too.
  REQUIRE(set_curve(device, "dram_latency_over_load", load, {1300, 1400}));
  CHECK(failed(device) == Names{"loaded-latency", "loaded-little"});
}

TEST_CASE("checks: N_FMA of the idle device is latency x rate", "[device]") {
  auto device = sound();
  device.fma_rate.set(PerCycle{112});
  REQUIRE(set_value(device, "n_fma_idle_fmas", 120e3));
  CHECK(failed(device).empty());                         // 1000 cycles x 112
  REQUIRE(set_value(device, "n_fma_idle_fmas", 224e3));  // flops taken for FMAs
  CHECK(failed(device) == Names{"n-fma"});
}

TEST_CASE("checks: TLB hit before TLB miss, both beyond L2", "[device]") {
  auto device = sound();
  REQUIRE(set_value(device, "dram_latency_tlb_hit_cycles", 900));
  REQUIRE(set_value(device, "dram_latency_tlb_miss_cycles", 1100));
  CHECK(failed(device).empty());
  REQUIRE(set_value(device, "dram_latency_tlb_miss_cycles", 800));
  CHECK(failed(device) == Names{"latency-order"});
}

TEST_CASE("checks: blocks counted on an SM against the occupancy rule", "[device]") {
  auto device = sound();  // h100: 2048 threads, 32 blocks, 228 KiB of which 1 KiB a block is reserved
  Table2D& table = device.resident_blocks_over_threads_and_shared;
  table.rows = {32, 1024};
  table.columns = {1024, 99 * 1024};
  table.y = {32, 2, 2, 2};
  CHECK(failed(device).empty());
  table.y[0] = 13;  // fewer blocks were launched than fit: a published mistake
  CHECK(failed(device) == Names{"residency"});
  table = {};
  Table2D& registers = device.resident_blocks_over_threads_and_registers;
  registers.rows = {256};
  registers.columns = {64, 128};
  registers.y = {4, 2};  // 65536 / (256 x 64) = 4
  CHECK(failed(device).empty());
  registers.y[1] = 3;
  CHECK(failed(device) == Names{"residency"});
}

TEST_CASE("checks: a bandwidth curve that still rises, or a plateau that it has not", "[device]") {
  auto device = sound();
  device.dram_read_over_bytes_in_flight.y = {0.1e12, 0.7e12, 0.85e12, 1e12};  // 18 % over the last doubling
  CHECK(failed(device) == Names{"plateau"});
  device = sound();
  device.dram_read.set(Bandwidth{1e12 / 1.0737});  // GiB/s taken for GB/s
  CHECK(failed(device) == Names{"plateau"});
}

TEST_CASE("checks: two methods for one value", "[device]") {
  auto device = sound();
  device.dram_latency_wall.set(Cycles{1040});
  device.fma_rate_wall.set(PerCycle{113});
  device.fma_rate.set(PerCycle{112});
  CHECK(failed(device).empty());
  device.dram_latency_wall.set(Cycles{1100});
  CHECK(failed(device) == Names{"dram-latency-methods"});
  device = sound();
  device.fma_rate.set(PerCycle{112});
  device.fma_rate_wall.set(PerCycle{100});
  CHECK(failed(device) == Names{"fma-rate-methods"});
}

TEST_CASE("checks: what has no inputs is skipped and says what it lacks", "[device]") {
  for (const auto& check : device_checks()) {
    const CheckOutcome outcome = check.judge(DeviceProfile{});
    INFO(check.name);
    CHECK(outcome.skipped());
  }
  const auto little = std::find_if(device_checks().begin(), device_checks().end(),
                                   [](const auto& check) { return check.name == "loaded-little"; });
  CHECK(little->judge(sound()).absent ==
        std::vector<std::string>{"dram_latency_mean_over_load", "dram_latency_over_load"});
}

TEST_CASE("checks: a value of a run that the profile has not", "[device]") {
  auto device = sound();
  ParameterInfo info = device.dram_read.info;
  info.provenance.run = "dram_bandwidth 2026-01-02T03:04:05Z";
  device.dram_read.set(Bandwidth{1e12}, info);
  CHECK(failed(device) == Names{"runs"});
  device.runs.push_back({info.provenance.run, "dram_bandwidth", "2026-01-02T03:04:05Z"});
  CHECK(failed(device).empty());
}

TEST_CASE("checks: each has a name and a rule of its own", "[device]") {
  std::set<std::string_view> names;
  for (const auto& check : device_checks()) {
    CHECK(names.insert(check.name).second);
    CHECK_FALSE(check.rule.empty());
  }
}
