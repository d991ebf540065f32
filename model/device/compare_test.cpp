#include "model/device/compare.hpp"

#include <algorithm>

#include "model/device/load.hpp"
#include "model/device/parameters.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

ParameterInfo with_interval(double low, double high, std::string method = "latency:1") {
  ParameterInfo info;
  info.low = low;
  info.high = high;
  info.provenance = {SourceKind::measured, "made up", std::move(method), ""};
  return info;
}

const ValueComparison& row_of(const std::vector<ValueComparison>& rows, std::string_view key) {
  const auto found = std::ranges::find_if(rows, [&](const auto& row) { return row.key.starts_with(key); });
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace

TEST_CASE("compare: a profile with itself is the same in everything", "[device]") {
  for (const auto& name : device_names()) {
    const DeviceProfile device = load_device(name);
    const auto rows = compare_devices(device, device, 0);
    CHECK(rows.size() > 15);
    for (const auto& row : rows) {
      INFO(row.key);
      CHECK(row.verdict == ComparisonVerdict::same);
      CHECK(row.same_method);
    }
  }
}

TEST_CASE("compare: tolerance, then intervals", "[device]") {
  DeviceProfile a, b;
  a.dram_latency.set(Cycles{600}, with_interval(595, 605));
  b.dram_latency.set(Cycles{612}, with_interval(610, 615));
  CHECK(row_of(compare_devices(a, b, 0.03), "dram_latency").verdict == ComparisonVerdict::same);  // 2 %
  CHECK(row_of(compare_devices(a, b, 0.01), "dram_latency").verdict == ComparisonVerdict::differs);
  CHECK(*row_of(compare_devices(a, b, 0.01), "dram_latency").overlap == false);
  b.dram_latency.set(Cycles{660}, with_interval(600, 700, "latency:2"));
  const auto row = row_of(compare_devices(a, b, 0.03), "dram_latency");
  CHECK(row.verdict == ComparisonVerdict::overlapping);
  CHECK(*row.ratio == 1.1);
  CHECK_FALSE(row.same_method);
  // Without intervals the tolerance alone decides.
  a.sm_count.set(132);
  b.sm_count.set(114);
  CHECK(row_of(compare_devices(a, b, 0.03), "sm_count").verdict == ComparisonVerdict::differs);
  CHECK_FALSE(row_of(compare_devices(a, b, 0.03), "sm_count").overlap);
  a.l1_latency.set(Cycles{30});
  CHECK(row_of(compare_devices(a, b, 0.03), "l1_latency").verdict == ComparisonVerdict::only_first);
  CHECK(*row_of(compare_devices(a, b, 0.03), "l1_latency").first == 30);
}

TEST_CASE("compare: a curve is judged at the points that both have", "[device]") {
  DeviceProfile a, b;
  a.latency_over_footprint = {{1024, 2048, 4096}, {30, 100, 300}, {29, 60, 299}, {31, 140, 301}, {}};
  b.latency_over_footprint = {{1024, 2048, 8192}, {30, 130, 300}, {29, 90, 299}, {31, 170, 301}, {}};
  auto row = row_of(compare_devices(a, b, 0.03), "latency_over_footprint");
  CHECK(row.key == "latency_over_footprint at 2048 bytes");  // 23 % apart, but within each other's interval
  CHECK(row.points == 2);
  CHECK(row.differing == 0);
  CHECK(row.verdict == ComparisonVerdict::overlapping);
  b.latency_over_footprint.y[0] = 33;
  b.latency_over_footprint.y_low[0] = 32;
  b.latency_over_footprint.y_high[0] = 34;
  row = row_of(compare_devices(a, b, 0.03), "latency_over_footprint");
  CHECK(row.key == "latency_over_footprint at 1024 bytes");
  CHECK(row.differing == 1);
  CHECK(row.verdict == ComparisonVerdict::differs);
}

TEST_CASE("compare: a table is judged at the cells that both have", "[device]") {
  DeviceProfile a, b;
  a.fma_rate_over_warps_and_ilp = {{1, 4}, {1, 2}, {8, 16, 32, 60}, {}};
  b.fma_rate_over_warps_and_ilp = {{4, 8}, {2}, {50, 90}, {}};
  const auto row = row_of(compare_devices(a, b, 0.03), "fma_rate_over_warps_and_ilp");
  CHECK(row.key == "fma_rate_over_warps_and_ilp at 4 warps/SM x 2 chains");
  CHECK(*row.first == 60);
  CHECK(*row.second == 50);
  CHECK(row.points == 1);
  CHECK(row.verdict == ComparisonVerdict::differs);
}

TEST_CASE("compare: the spread over several GPUs", "[device]") {
  std::vector<DeviceProfile> devices(3);
  devices[0].dram_latency.set(Cycles{600});
  devices[1].dram_latency.set(Cycles{630});
  devices[2].dram_latency.set(Cycles{600});
  devices[2].l1_latency.set(Cycles{30});
  const auto spread = spread_of(devices);
  REQUIRE(spread.size() == 1);
  CHECK(spread[0].key == "dram_latency_cycles");
  CHECK(spread[0].median == 600);
  CHECK(spread[0].relative == 0.05);
  CHECK(spread[0].count == 3);
}

TEST_CASE("references: words of a GPU's name", "[device]") {
  CHECK(names_gpu("NVIDIA H200", "h200"));
  CHECK_FALSE(names_gpu("NVIDIA GH200 480GB", "h200"));
  CHECK(names_gpu("Tesla V100-SXM2-16GB", "v100"));
  CHECK(names_gpu("NVIDIA H100 80GB HBM3", "h100 80gb"));
  CHECK_FALSE(names_gpu("NVIDIA H100 PCIe", "h100 80gb"));
  CHECK_FALSE(names_gpu("NVIDIA H200", ""));
}

TEST_CASE("references: in range, outside, none", "[device]") {
  const auto references = parse_reference_values(
      "key,gpu,low,high,source\n"
      "dram_latency_cycles,h200,600,640,one\n"
      "dram_latency_cycles,h200,660,660,another\n"
      "l2_latency_cycles,h100,280,280,a third\n",
      "references");
  DeviceProfile device;
  device.gpu_name = "NVIDIA H200";
  device.l2_latency.set(Cycles{280});
  const auto verdict = [&](double cycles) {
    device.dram_latency.set(Cycles{cycles});
    const auto rows = compare_with_references(device, references, 0.10);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].verdict == ReferenceVerdict::no_reference);  // L2: only of another GPU
    CHECK(*rows[1].low == 600);
    CHECK(*rows[1].high == 660);
    CHECK(rows[1].sources == "one; another");
    return rows[1].verdict;
  };
  CHECK(verdict(650) == ReferenceVerdict::in_range);
  CHECK(verdict(545) == ReferenceVerdict::in_range);  // 10 % below the lowest is 540
  CHECK(verdict(535) == ReferenceVerdict::outside);
  CHECK(verdict(730) == ReferenceVerdict::outside);
  CHECK_THROWS_AS(parse_reference_values("key,gpu,low,high,source\nlatency,h200,1,2,x\n", "r"), InputError);
  CHECK_THROWS_AS(parse_reference_values("key,gpu,low,high,source\nl1_latency_cycles,h200,3,2,x\n", "r"),
                  InputError);
  CHECK_THROWS_AS(parse_reference_values("key,gpu,low,high\n", "r"), InputError);
}

TEST_CASE("compare: ECC, MIG and power limit that differ are told, unknown ones are not") {
  DeviceProfile a, b;
  CHECK(condition_differences(a, b).empty());
  a.conditions.ecc = true;
  b.conditions.ecc = false;
  a.conditions.mig = true;  // unknown of b
  a.conditions.power_limit_w = 700;
  b.conditions.power_limit_w = 700;
  CHECK(condition_differences(a, b) == std::vector<std::string>{"ECC: on and off"});
  b.conditions.mig = false;
  b.conditions.power_limit_w = 400;
  CHECK(condition_differences(a, b) ==
        std::vector<std::string>{"ECC: on and off", "MIG: on and off", "power limit: 700 W and 400 W"});
}

TEST_CASE("references: the shipped list is sound and plausible", "[device]") {
  const auto references = reference_values();
  CHECK(references.size() > 40);
  for (const auto& reference : references) {
    INFO(reference.key << " " << reference.gpu);
    const ParameterRow* row = find_parameter(reference.key);
    REQUIRE(row != nullptr);
    CHECK(reference.low >= row->minimum);
    CHECK(reference.high <= row->maximum);
  }
}
