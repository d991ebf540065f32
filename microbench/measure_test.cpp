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
  result.tables.push_back({"fma_rate_over_warps_and_ilp",
                           "made up",
                           {1, 2},
                           {1, 4},
                           {{7, 8, 9}, {30, 30, 31}, {16, 16, 16, 16}, {60, 61}}});
  result.tables.push_back({"resident_blocks_over_threads_and_shared", "counted", {32}, {1024}, {{32}}});
  return result;
}

const std::vector<Probe> fakes = {
    {"latency", "?", {}, nullptr}, {"fma", "?", {}, nullptr}, {"dram_bandwidth", "?", {}, nullptr}};

ProbeSession fake_session() {
  ProbeSession session;
  session.now = [] { return "2026-01-02T03:04:05Z"; };
  return session;
}

LoadedCode loaded(std::string_view entry, std::string hash) {
  return {{"probes/fma.cu", entry, {{"ILP", 4}, {"BODY", 512}}}, {}, {32, 0, 0, std::move(hash)}};
}

Measurement run_fakes(std::ostream& progress) {
  ProbeSession session = fake_session();
  session.run = [](const Probe& probe, const DeviceProfile& known, CodeLog&) -> ProbeResult {
    if (probe.name == "latency") return latency_result();
    if (probe.name == "fma") {
      REQUIRE(known.dram_latency.present());  // later probes see what earlier ones found
      return fma_result();
    }
    throw Error(ExitCode::failure, "out of memory");
  };
  return run_probes(select_probes("", fakes), {}, session, progress);
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
  CHECK(curve.samples == std::vector<long>{3, 3});
  const Table2D& table = measurement.profile.fma_rate_over_warps_and_ilp;
  CHECK(table.y == std::vector<double>{8, 30, 16, 60.5});
  CHECK(table.samples == std::vector<long>{3, 3, 4, 2});
  REQUIRE(table.y_low.size() == 4);
  CHECK(table.y_low[0] == 7);
  CHECK(table.y_high[0] == 9);
  CHECK(table.y_low[2] == table.y_high[2]);
  CHECK(table.y_low[3] == 60);  // two samples span their interval
  CHECK(table.y_high[3] == 61);
  // What was counted once has no interval.
  const Table2D& counted = measurement.profile.resident_blocks_over_threads_and_shared;
  CHECK(counted.y == std::vector<double>{32});
  CHECK(counted.y_low.empty());
  CHECK(counted.samples.empty());
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

TEST_CASE("measure: every value names its method and its run, and the run its code and clocks") {
  std::ostringstream progress;
  ProbeSession session = fake_session();
  double clock = 1e9;
  session.state = [&] {
    GpuState state;
    state.sm_clock_hz = clock += 1e6;
    state.power_w = 300;
    if (clock > 1.003e9) state.throttled = {"software power cap"};
    return state;
  };
  session.run = [](const Probe& probe, const DeviceProfile&, CodeLog& code) {
    if (probe.name != "fma") return latency_result();
    code = {loaded("fma_chains", "b"), loaded("fma_chains", "a"), loaded("fma_chains", "b")};
    return fma_result();
  };
  session.examine = [](std::span<const CodeLog> logs) {
    return std::vector<CodeVerdict>(logs.size(), {"as declared", ""});
  };
  const auto measurement = run_probes(select_probes("latency,fma", fakes), {}, session, progress);
  const DeviceProfile& profile = measurement.profile;
  CHECK(profile.dram_latency.info.provenance.run == "latency 2026-01-02T03:04:05Z");
  CHECK(profile.dram_latency.info.provenance.method == method_id("latency", "made up"));
  CHECK(method_id("latency", "made up") != method_id("latency", "made up otherwise"));
  CHECK(profile.latency_over_footprint.provenance.run == "latency 2026-01-02T03:04:05Z");
  REQUIRE(profile.runs.size() == 2);
  const MeasurementRun& fma = profile.runs[1];
  CHECK(fma.id == profile.fma_rate_over_warps_and_ilp.provenance.run);
  CHECK(fma.code == code_hash_of({loaded("fma_chains", "a"), loaded("fma_chains", "b")}));
  CHECK(fma.code.size() == 16);
  CHECK(fma.machine_code == "as declared");
  CHECK(*fma.sm_clock_before_hz == 1.003e9);
  CHECK(*fma.sm_clock_after_hz == 1.004e9);
  CHECK(fma.throttled == std::vector<std::string>{"software power cap"});
  CHECK(profile.runs[0].throttled.empty());
  CHECK(profile.runs[0].code.empty());
  CHECK(profile.runs[0].problem == "latency: l2_latency_cycles has no usable samples");
}

TEST_CASE("measure: a probe whose machine code is wrong is withdrawn, and says so") {
  std::ostringstream progress;
  ProbeSession session = fake_session();
  session.run = [](const Probe& probe, const DeviceProfile&, CodeLog&) {
    return probe.name == "fma" ? fma_result() : latency_result();
  };
  session.examine = [](std::span<const CodeLog>) {
    return std::vector<CodeVerdict>{{"as declared", ""}, {"not as declared", "FFMA is gone"}};
  };
  const auto measurement = run_probes(select_probes("latency,fma", fakes), {}, session, progress);
  CHECK(measurement.profile.dram_latency.present());
  CHECK_FALSE(measurement.profile.fma_rate_over_warps_and_ilp.present());
  CHECK(measurement.problems.back() == "fma: its machine code is not what was to be measured: FFMA is gone");
  CHECK(measurement.profile.runs.back().problem == measurement.problems.back());
}

TEST_CASE("measure: an interrupt keeps what was measured, and a later run completes it") {
  std::ostringstream progress;
  ProbeSession session = fake_session();
  std::size_t written = 0;
  session.after_each = [&](const Measurement& so_far) { written = so_far.outcomes.size(); };
  session.run = [](const Probe& probe, const DeviceProfile&, CodeLog&) -> ProbeResult {
    if (probe.name == "fma") throw Interrupted();
    return latency_result();
  };
  const auto first = run_probes(select_probes("", fakes), {}, session, progress);
  CHECK(first.interrupted);
  CHECK(written == 2);
  CHECK(first.profile.dram_latency.present());
  CHECK(first.problems == std::vector<std::string>{"latency: l2_latency_cycles has no usable samples",
                                                   "fma: interrupted",
                                                   "dram_bandwidth: not run, interrupted"});

  session.now = [] { return "2026-01-03T00:00:00Z"; };
  session.run = [](const Probe&, const DeviceProfile&, CodeLog&) { return fma_result(); };
  const auto second = run_probes(select_probes("fma", fakes), first.profile, session, progress);
  CHECK(second.profile.dram_latency.present());
  CHECK(second.profile.fma_rate_over_warps_and_ilp.present());
  REQUIRE(second.profile.runs.size() == 2);  // the interrupted one is forgotten
  CHECK(second.profile.runs[1].id == "fma 2026-01-03T00:00:00Z");
  CHECK(second.profile.runs[1].problem.empty());
}

TEST_CASE("measure: doubts about a held clock, a changed clock and wide intervals") {
  DeviceProfile profile;
  ParameterInfo info;
  info.low = 600;
  info.high = 640;
  profile.dram_latency.set(Cycles{620}, info);
  MeasurementRun run{"fma 2026-01-02T03:04:05Z", "fma", "2026-01-02T03:04:05Z"};
  run.sm_clock_before_hz = 1.98e9;
  run.sm_clock_after_hz = 1.95e9;
  profile.runs = {run};
  CHECK(doubts(profile).empty());
  profile.dram_latency.info.high = 680;  // 80 of 620
  profile.runs[0].sm_clock_after_hz = 1.485e9;
  profile.runs[0].throttled = {"software power cap"};
  CHECK(doubts(profile) == std::vector<std::string>{"fma: the clock was held down: software power cap",
                                                    "fma: the SM clock changed by -25 %",
                                                    "dram_latency_cycles: its interval is 13 % wide"});
}

TEST_CASE("measure: throttling and neighbours by name") {
  CHECK(throttle_reasons(0).empty());
  CHECK(throttle_reasons(1).empty());  // idle
  CHECK(throttle_reasons(0x4 | 0x40) ==
        std::vector<std::string>{"software power cap", "hardware thermal slowdown"});
  CHECK(neighbour_warnings(1, 0).empty());
  CHECK(neighbour_warnings({}, {}).empty());
  CHECK(neighbour_warnings(2, {}).at(0).starts_with("1 other process on this GPU"));
  CHECK(neighbour_warnings(1, 97).at(0) == "the GPU was 97 % busy before the first launch");
}

TEST_CASE("profile assembly: infinite samples and incomplete tables are refused") {
  DeviceProfile profile;
  ProbeOutcome outcome{"fma", {}, 0, {}};
  outcome.result.values.push_back({"fma_rate_per_cycle", "made up", {1, 1.0 / 0.0}});
  outcome.result.tables.push_back(
      {"fma_rate_over_warps_and_ilp", "made up", {1, 2}, {1, 4}, {{8}, {30}, {16}}});
  const auto problems = apply_outcome(outcome, "2026-01-02", profile);
  REQUIRE(problems.size() == 2);
  CHECK_FALSE(profile.fma_rate.present());
  CHECK_FALSE(profile.fma_rate_over_warps_and_ilp.present());
}

TEST_CASE("profile assembly: two samples span their interval, one has none") {
  DeviceProfile profile;
  ProbeOutcome outcome{"fma", {}, 0, {}};
  outcome.result.values.push_back({"fma_latency_cycles", "made up", {4, 5}});
  outcome.result.values.push_back({"fma_rate_per_cycle", "made up", {126}});
  CHECK(apply_outcome(outcome, "2026-01-02", profile).empty());
  CHECK(profile.fma_latency.get().value() == 4.5);
  CHECK(profile.fma_latency.info.low == 4.0);
  CHECK(profile.fma_latency.info.high == 5.0);
  CHECK_FALSE(profile.fma_rate.info.low);
}

TEST_CASE("measure: one more reason for what is missing") {
  ProbeResult result;
  add_reason(result, "");
  CHECK(result.reason.empty());
  add_reason(result, "no clusters");
  add_reason(result, "no memory");
  CHECK(result.reason == "no clusters; no memory");
}

TEST_CASE("profile assembly: what documents state is not called measured") {
  DeviceProfile profile;
  ProbeOutcome outcome{"limits", {}, 0, {}};
  outcome.result.values.push_back({"fp32_lanes_per_sm", "a guide", {128}, SourceKind::datasheet});
  CHECK(apply_outcome(outcome, "2026-01-02", profile).empty());
  CHECK(profile.fp32_lanes_per_sm.get() == 128);
  CHECK(profile.fp32_lanes_per_sm.info.provenance.kind == SourceKind::datasheet);
  CHECK(profile.fp32_lanes_per_sm.info.provenance.source == "a guide");
  CHECK_FALSE(profile.fp32_lanes_per_sm.info.samples);
}

TEST_CASE("profile assembly: raw samples are a CSV that reads back") {
  const ProbeOutcome outcome{"latency", latency_result(), 1.5, {}};
  const CsvTable table = parse_csv(format_raw_samples(outcome, "NVIDIA H200", "2026-01-02"), "latency.csv");
  CHECK(table.header == std::vector<std::string>{"what", "key", "x", "column", "sample", "value"});
  CHECK(table.rows.size() == 5 + 6 + 1);
  CHECK(table.comments.size() == 5);
  CHECK(csv_number(table, table.rows[6], *table.column("value")) == 31);
}

}  // namespace tilecast
