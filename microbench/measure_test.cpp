#include "microbench/measure.hpp"

#include <sstream>

#include "model/support/csv.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

ProbeResult latency_result() {
  ProbeResult result;
  result.values.push_back({"dram_latency_cycles", "made up", {700, 702, 698, 701, 699}});
  result.values.push_back({"l2_latency_cycles", "made up", {}});
  result.curves.push_back({"latency_over_footprint", "made up", {4096, 8192}, {{30, 31, 32}, {40, 41, 42}}});
  result.curves.push_back({"only_in_the_raw_samples", "made up", {1}, {{2}}});
  return result;
}

ProbeResult fma_result() {
  ProbeResult result;
  result.tables.push_back({"fma_rate_over_warps_and_ilp", "made up", {1, 2}, {1, 4}, {8, 30, 16, 60}});
  return result;
}

const std::vector<Probe> fakes = {
    {"latency", "?", {}, nullptr}, {"fma", "?", {}, nullptr}, {"dram_bandwidth", "?", {}, nullptr}};

Measurement run_fakes(std::ostream& progress) {
  return run_probes(
      select_probes("", fakes), {}, "2026-01-02",
      [](const Probe& probe, const DeviceProfile& known) -> ProbeResult {
        if (probe.name == "latency") return latency_result();
        if (probe.name == "fma") {
          REQUIRE(known.dram_latency.present());  // later probes see what earlier ones found
          return fma_result();
        }
        throw Error(ExitCode::failure, "out of memory");
      },
      progress);
}

}  // namespace

TEST_CASE("measure: --only keeps the order of the list and suggests the nearest name") {
  const auto selected = select_probes("dram_bandwidth,latency", fakes);
  REQUIRE(selected.size() == 2);
  CHECK(selected[0]->name == "latency");
  CHECK(selected[1]->name == "dram_bandwidth");
  CHECK(select_probes("", fakes).size() == 3);
  try {
    select_probes("latency,latancy", fakes);
    FAIL("expected an InputError");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "--only: unknown probe 'latancy'");
    CHECK(error.hint().find("latency") != std::string::npos);
  }
  CHECK_THROWS_AS(select_probes("fma,,latency", fakes), InputError);
}

TEST_CASE("measure: values carry median, interval, count and method") {
  std::ostringstream progress;
  const Measurement measurement = run_fakes(progress);
  const auto& latency = measurement.profile.dram_latency;
  CHECK(latency.get().value() == 700);
  CHECK(latency.info.samples.value() == 5);
  CHECK(latency.info.low.value() >= 698);
  CHECK(latency.info.high.value() <= 702);
  CHECK(latency.info.provenance.kind == SourceKind::measured);
  CHECK(latency.info.provenance.source == "measure --only latency, 2026-01-02: made up");
  const Curve& curve = measurement.profile.latency_over_footprint;
  CHECK(curve.y == std::vector<double>{31, 41});
  CHECK(curve.y_low.size() == 2);
  CHECK(measurement.profile.fma_rate_over_warps_and_ilp.y == std::vector<double>{8, 30, 16, 60});
  CHECK(progress.str().find("latency") != std::string::npos);
}

TEST_CASE("measure: a probe that fails says why and the others stay") {
  std::ostringstream progress;
  const Measurement measurement = run_fakes(progress);
  REQUIRE(measurement.problems.size() == 2);
  CHECK(measurement.problems[0] == "latency: l2_latency_cycles has no usable samples");
  CHECK(measurement.problems[1] == "dram_bandwidth: out of memory");
  CHECK_FALSE(measurement.profile.dram_read.present());
  CHECK_FALSE(measurement.profile.l2_latency.present());
  CHECK(measurement.profile.dram_latency.present());
}

TEST_CASE("profile assembly: infinite samples and incomplete tables are refused") {
  DeviceProfile profile;
  ProbeOutcome outcome{"fma", {}, 0};
  outcome.result.values.push_back({"fma_rate_per_cycle", "made up", {1, 1.0 / 0.0}});
  outcome.result.tables.push_back({"fma_rate_over_warps_and_ilp", "made up", {1, 2}, {1, 4}, {8, 30, 16}});
  const auto problems = apply_outcome(outcome, "2026-01-02", profile);
  REQUIRE(problems.size() == 2);
  CHECK_FALSE(profile.fma_rate.present());
  CHECK_FALSE(profile.fma_rate_over_warps_and_ilp.present());
}

TEST_CASE("profile assembly: what documents state is not called measured") {
  DeviceProfile profile;
  ProbeOutcome outcome{"limits", {}, 0};
  outcome.result.values.push_back({"fp32_lanes_per_sm", "a guide", {128}, SourceKind::datasheet});
  CHECK(apply_outcome(outcome, "2026-01-02", profile).empty());
  CHECK(profile.fp32_lanes_per_sm.get() == 128);
  CHECK(profile.fp32_lanes_per_sm.info.provenance.kind == SourceKind::datasheet);
  CHECK(profile.fp32_lanes_per_sm.info.provenance.source == "a guide");
  CHECK_FALSE(profile.fp32_lanes_per_sm.info.samples);
}

TEST_CASE("profile assembly: names of GPUs and folders") {
  CHECK(profile_name("NVIDIA H200") == "h200");
  CHECK(profile_name("NVIDIA GeForce GTX 1080 Ti") == "gtx-1080-ti");
  CHECK(profile_name("Tesla V100-SXM2-16GB") == "v100-sxm2-16gb");
  CHECK(folder_name("NVIDIA H200") == "nvidia-h200");
}

TEST_CASE("profile assembly: raw samples are a CSV that reads back") {
  const ProbeOutcome outcome{"latency", latency_result(), 1.5};
  const CsvTable table = parse_csv(format_raw_samples(outcome, "NVIDIA H200", "2026-01-02"), "latency.csv");
  CHECK(table.header == std::vector<std::string>{"what", "key", "x", "column", "sample", "value"});
  CHECK(table.rows.size() == 5 + 6 + 1);
  CHECK(table.comments.size() == 5);
  CHECK(csv_number(table, table.rows[6], *table.column("value")) == 31);
}

}  // namespace tilecast
