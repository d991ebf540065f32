#include "model/device/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/device/parameters.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// A whole profile with one part of its text replaced: what a user's slip of the pen does.
std::string with(const std::string& from, const std::string& to) {
  std::string text = format_device(load_device("gtx-1080-ti"));
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    parse_device(text, "my.json");
  } catch (const InputError& error) {
    CHECK(error.code() == ExitCode::invalid_input);
    return error.hint().empty() ? error.what() : fmt::format("{} ({})", error.what(), error.hint());
  }
  return "accepted";
}

// The entry of one parameter, as format_device writes it, up to its kind.
const std::string latency =
    "\"dram_latency_cycles\": {\n      \"value\": 258,\n      \"unit\": \"cycles\",\n";

}  // namespace

TEST_CASE("load_device: every shipped profile loads, is named as its file and says its sources", "[device]") {
  const auto names = device_names();
  REQUIRE(names.size() >= 5);
  CHECK(std::ranges::is_sorted(names));
  for (const auto& name : names) {
    CAPTURE(name);
    const auto device = load_device(name);
    CHECK(device.name == name);
    CHECK(device.compute_capability_major >= 5);
    for (const auto& row : parameter_rows()) {
      if (row.get(device)) CHECK_FALSE(row.info(device).provenance.source.empty());
    }
  }
}

TEST_CASE("load_device: the GTX 1080 Ti has Table 1 of Chang et al. and the other latency", "[device]") {
  const auto device = load_device("gtx-1080-ti");
  CHECK(device.sm_count.get() == 28);
  CHECK(device.fp32_lanes_per_sm.get() == 128);
  CHECK(device.sm_clock.get().value() == 1480e6);
  CHECK(device.dram_peak.get().value() == 484e9);
  CHECK(device.shared_per_sm.get().value() == 96 * 1024);
  CHECK(device.dram_latency.get().value() == 258);
  const auto& other = device.dram_latency.info.alternatives.at(0);
  CHECK(other.value == 415);
  CHECK(other.provenance.kind == SourceKind::published);
  CHECK(other.provenance.source.find("P6000") != std::string::npos);
  CHECK(device.dram_latency.get().value() * 128 * 2 == 66048);  // N_FMA
}

TEST_CASE("load_device: an unknown name gets the nearest", "[device]") {
  try {
    load_device("gtx1080ti");
    FAIL("expected an error");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "unknown device 'gtx1080ti'");
    CHECK(error.hint() == "did you mean 'gtx-1080-ti'?");
  }
  CHECK_THROWS_AS(load_device("./no-such-file.json"), InputError);
}

TEST_CASE("format_device: the text of a profile gives the same profile", "[device]") {
  DeviceProfile device = load_device("h100");
  device.driver = "570.1 \"beta\"";
  device.toolkit = "13.0";
  device.measured_on = "2026-01-02";
  ParameterInfo info;
  info.low = 0.1;  // not exact in binary: must come back bit for bit
  info.high = 1e300 / 3;
  info.samples = 11;
  info.provenance = {SourceKind::measured, "probe latency"};
  info.alternatives = {{1.0 / 3, {SourceKind::assumed, "a third"}}};
  device.l2_write.set(Bandwidth{1e13 / 3}, info);
  Curve curve;
  curve.x = {4096, 8192, 1e10 / 3};
  curve.y = {1.0 / 3, 2.0 / 3, 1e-17};
  curve.y_low = {0.1, 0.2, 0};
  curve.y_high = {0.5, 0.7, 1};
  curve.provenance = {SourceKind::measured, "probe latency"};
  device.latency_over_footprint = curve;
  Table2D table;
  table.rows = {1, 2};
  table.columns = {1, 2, 4};
  table.y = {8, 16, 32, 16, 32, 64.1};
  table.y_low = {7, 15, 31, 15, 31, 1e2 / 3};
  table.y_high = {9, 17, 33, 17, 33, 65};
  table.samples = {3, 3, 3, 3, 3, 2};
  table.provenance = {SourceKind::measured, "probe fma"};
  device.fma_rate_over_warps_and_ilp = table;

  device.conditions = {"10de:2335", true, false, 700, {"another process used the GPU"}};
  MeasurementRun run{"fma 2026-01-02T03:04:05Z", "fma", "2026-01-02T03:04:05Z", 3.25, "0123456789abcdef"};
  run.machine_code = "as declared: 7 kernels";
  run.sm_clock_before_hz = 1.98e9;
  run.sm_clock_after_hz = 1e9 / 3;
  run.power_w = 512.5;
  run.throttled = {"sw_power_cap"};
  run.quick = true;
  run.problem = "needs 4096 MiB of device memory";
  device.runs = {run, {"latency 2026-01-02T03:04:06Z", "latency", "2026-01-02T03:04:06Z"}};
  device.fma_rate_over_warps_and_ilp.provenance.method = "fma:01234567";
  device.fma_rate_over_warps_and_ilp.provenance.run = run.id;

  const std::string text = format_device(device);
  const DeviceProfile back = parse_device(text, "copy");
  CHECK(back.driver == device.driver);
  CHECK(back.toolkit == device.toolkit);
  CHECK(back.measured_on == device.measured_on);
  CHECK(back.compute_capability_major == 9);
  for (const auto& row : parameter_rows()) {
    CAPTURE(row.key);
    CHECK(row.get(back) == row.get(device));
    CHECK(row.info(back).low == row.info(device).low);
    CHECK(row.info(back).high == row.info(device).high);
    CHECK(row.info(back).samples == row.info(device).samples);
    CHECK(row.info(back).provenance.kind == row.info(device).provenance.kind);
    CHECK(row.info(back).provenance.source == row.info(device).provenance.source);
    CHECK(row.info(back).alternatives.size() == row.info(device).alternatives.size());
  }
  CHECK(back.l2_write.info.alternatives.at(0).value == 1.0 / 3);
  CHECK(back.latency_over_footprint.x == curve.x);
  CHECK(back.latency_over_footprint.y == curve.y);
  CHECK(back.latency_over_footprint.y_low == curve.y_low);
  CHECK(back.latency_over_footprint.y_high == curve.y_high);
  CHECK(back.fma_rate_over_warps_and_ilp.rows == table.rows);
  CHECK(back.fma_rate_over_warps_and_ilp.columns == table.columns);
  CHECK(back.fma_rate_over_warps_and_ilp.y == table.y);
  CHECK(back.fma_rate_over_warps_and_ilp.y_low == table.y_low);
  CHECK(back.fma_rate_over_warps_and_ilp.y_high == table.y_high);
  CHECK(back.fma_rate_over_warps_and_ilp.samples == table.samples);
  CHECK(back.conditions.ecc == true);
  CHECK(back.conditions.mig == false);
  CHECK(back.conditions.warnings == device.conditions.warnings);
  REQUIRE(back.runs.size() == 2);
  CHECK(back.runs[0].sm_clock_after_hz == run.sm_clock_after_hz);
  CHECK(back.runs[0].throttled == run.throttled);
  CHECK(back.runs[0].problem == run.problem);
  CHECK_FALSE(back.runs[1].seconds);
  CHECK(back.fma_rate_over_warps_and_ilp.provenance.run == run.id);
  CHECK(format_device(back) == text);
}

TEST_CASE("load_device: a partial profile is read by what completes or shows it", "[device]") {
  DeviceProfile device;
  device.name = "half";
  device.gpu_name = "NVIDIA Half";
  device.compute_capability_major = 9;
  device.sm_count.set(132, {{}, {}, {}, {SourceKind::measured, "driver"}, {}});
  const std::string text = format_device(device);
  CHECK_THROWS_AS(parse_device(text, "half"), InputError);
  const DeviceProfile back = parse_device(text, "half", Completeness::partial);
  CHECK(back.sm_count.get() == 132);
  CHECK(format_device(back) == text);
  const auto missing = missing_requirements(back);
  CHECK(std::find(missing.begin(), missing.end(), "sm_clock_hz") != missing.end());
  CHECK(std::find(missing.begin(), missing.end(), "sm_count") == missing.end());
  CHECK(missing_requirements(load_device("h100")).empty());
}

TEST_CASE("format_device: shipped files are in its layout", "[device]") {
  for (const auto& name : device_names()) {
    CAPTURE(name);
    const std::string path = fmt::format("{}/model/device/profiles/{}.json", TILECAST_SOURCE_DIR, name);
    CHECK(read_file(path) == format_device(load_device(name)));
  }
}

TEST_CASE("device_schema: the committed schema follows the table of parameters", "[device]") {
  CHECK(read_file(TILECAST_SOURCE_DIR "/model/device/profile.schema.json") == device_schema());
}

TEST_CASE("parse_device: text that is not JSON is refused with line and column", "[device]") {
  CHECK(refusal("{\n  \"schema\": }").find("my.json:2:13: not JSON: ") == 0);
  CHECK(refusal("").find("my.json:1:1: not JSON: ") == 0);
  CHECK(refusal("[1, 2]") == "my.json: /: [1,2], expected an object");
  CHECK(refusal(with("\"value\": 258", "\"value\": NaN")).find("not JSON") != std::string::npos);
  CHECK(refusal("{\"a\": 1,\n\"b\": 1e999}") == "my.json:2:6: '1e999', expected a finite number");
  CHECK(refusal("{\"a\": 1, \"a\": 2}") == "my.json: key 'a' appears twice in one object");
}

TEST_CASE("parse_device: the identity is checked", "[device]") {
  CHECK(refusal("{}") == "my.json: /schema: missing, expected 'tilecast-device/1'");
  CHECK(refusal(with("tilecast-device/1", "tilecast-device/2")) ==
        "my.json: /schema: 'tilecast-device/2', expected 'tilecast-device/1'");
  CHECK(refusal(with("\"6.1\"", "\"sm_61\"")) ==
        "my.json: /compute_capability: 'sm_61', expected a compute capability such as '9.0'");
  CHECK(refusal(with("\"gpu_name\"", "\"gpu_nam\"")) ==
        "my.json: /gpu_nam: unknown key (did you mean 'gpu_name'?)");
  CHECK(refusal(with("\"name\": \"gtx-1080-ti\",", "")) ==
        "my.json: /name: missing, expected the profile's name");
}

TEST_CASE("parse_device: SM numbers begin at 0, no other axis does", "[device]") {
  DeviceProfile device = load_device("h200");
  Curve curve;
  curve.x = {0, 1};
  curve.y = {270, 280};
  curve.provenance = {SourceKind::measured, "probe l2_map"};
  device.l2_latency_over_sm = curve;
  CHECK(parse_device(format_device(device), "my.json").l2_latency_over_sm.x == curve.x);
  device.l2_latency_over_span = curve;
  CHECK_THROWS_WITH(parse_device(format_device(device), "my.json"),
                    contains_text("/curves/l2_latency_over_span/x/0: 0, expected a positive number"));
}

TEST_CASE("parse_device: each parameter is checked in place", "[device]") {
  CHECK(refusal(with(latency, "\"dram_latency_cycles\": {\"value\": 258, \"unit\": \"ns\",")) ==
        "my.json: /parameters/dram_latency_cycles/unit: 'ns', expected 'cycles'");
  CHECK(refusal(with(latency, "\"dram_latency_cycles\": {\"value\": 258,")) ==
        "my.json: /parameters/dram_latency_cycles/unit: missing, expected 'cycles'");
  CHECK(refusal(with(latency, "\"dram_latency_cycles\": {\"unit\": \"cycles\",")) ==
        "my.json: /parameters/dram_latency_cycles/value: missing, expected a number of cycles");
  CHECK(refusal(with("\"value\": 258,", "\"value\": \"258\",")) ==
        "my.json: /parameters/dram_latency_cycles/value: '258', expected a finite number");
  CHECK(refusal(with("\"value\": 258,", "\"value\": -258,")) ==
        "my.json: /parameters/dram_latency_cycles/value: -258, expected a number that is not negative");
  CHECK(refusal(with("\"value\": 258,", "\"value\": 0,")) ==
        "my.json: /parameters/dram_latency_cycles/value: 0, expected a positive number");
  CHECK(refusal(with("\"value\": 28,", "\"value\": 28.5,")) ==
        "my.json: /parameters/sm_count/value: 28.5, expected an integer");
  CHECK(refusal(with("\"dram_latency_cycles\"", "\"dram_latency_cycle\"")) ==
        "my.json: /parameters/dram_latency_cycle: unknown key (did you mean 'dram_latency_cycles'?)");
  CHECK(refusal(with("\"value\": 258,", "\"value\": 258, \"vlaue\": 1,")) ==
        "my.json: /parameters/dram_latency_cycles/vlaue: unknown key (did you mean 'value'?)");
  CHECK(
      refusal(with("\"value\": 258,", "\"value\": 258, \"interval\": [300, 200],")) ==
      "my.json: /parameters/dram_latency_cycles/interval: [300,200], expected [low, high] with low <= high");
  CHECK(refusal(with("\"value\": 258,", "\"value\": 258, \"interval\": [300],")) ==
        "my.json: /parameters/dram_latency_cycles/interval: 1 values, expected 2");
  CHECK(refusal(with("\"value\": 258,", "\"value\": 258, \"samples\": 0,")) ==
        "my.json: /parameters/dram_latency_cycles/samples: 0, expected a positive integer");
}

TEST_CASE("parse_device: a value without its source is an error", "[device]") {
  const std::string entry = latency + "      \"kind\": \"published\",\n      \"source\": ";
  CHECK(refusal(with(entry, latency + "      \"kind\": \"published\",\n      \"sauce\": "))
            .find("my.json: /parameters/dram_latency_cycles/sauce: unknown key") == 0);
  CHECK(refusal(with(entry, latency + "      \"kind\": \"guessed\",\n      \"source\": ")) ==
        "my.json: /parameters/dram_latency_cycles/kind: 'guessed', expected one of measured, datasheet, "
        "published, derived, assumed");
  CHECK(refusal(with(entry, latency + "      \"source\": ")) ==
        "my.json: /parameters/dram_latency_cycles/kind: missing, expected one of measured, datasheet, "
        "published, derived, assumed");
  CHECK(refusal(with("\"source\": \"Chang, Onishi and Maruyama, arXiv 2212.00404, Table 1\"",
                     "\"source\": \"\"")) ==
        "my.json: /parameters/sm_count/source: '', expected where the value comes from");
  // Alternatives need theirs, too.
  const auto text =
      with("\"alternatives\": [\n", "\"alternatives\": [{\"value\": 1, \"kind\": \"assumed\"},\n");
  CHECK(refusal(text).find("/alternatives/0/source: missing, expected where the value comes from") !=
        std::string::npos);
}

TEST_CASE("parse_device: a missing required parameter is named", "[device]") {
  auto text = with("\"sm_count\": {", "\"sm_clock_memory_hz\": {");
  const auto unit = text.find("\"unit\": \"count\"");
  text.replace(unit, 15, "\"unit\": \"Hz\"");
  CHECK(refusal(text) ==
        "my.json: /parameters/sm_count: missing, expected streaming multiprocessors in count");
}

TEST_CASE("parse_device: curves and tables are checked in place", "[device]") {
  const auto curve = [](const std::string& body) {
    return with("\"parameters\":",
                "\"curves\": {\"latency_over_footprint\": {" + body + "}}, \"parameters\":");
  };
  const std::string units = "\"x_unit\": \"bytes\", \"y_unit\": \"cycles\", ";
  const std::string origin = ", \"kind\": \"measured\", \"source\": \"test\"";
  CHECK(refusal(curve(units + "\"x\": [1, 2], \"y\": [3, 4]" + origin)) == "accepted");
  CHECK(refusal(curve(units + "\"x\": [2, 1], \"y\": [3, 4]" + origin)) ==
        "my.json: /curves/latency_over_footprint/x/1: 1, expected more than the value before it, 2");
  CHECK(refusal(curve(units + "\"x\": [1, 2], \"y\": [3]" + origin)) ==
        "my.json: /curves/latency_over_footprint/y: 1 values, expected 2");
  CHECK(refusal(curve(units + "\"x\": [], \"y\": []" + origin)) ==
        "my.json: /curves/latency_over_footprint/x: empty, expected values");
  CHECK(refusal(curve(units + "\"x\": [1, 2], \"y\": [3, null]" + origin)) ==
        "my.json: /curves/latency_over_footprint/y/1: null, expected a finite number");
  CHECK(refusal(curve(units + "\"x\": [1], \"y\": [3], \"y_low\": [2]" + origin)) ==
        "my.json: /curves/latency_over_footprint: only one of y_low and y_high, expected both or neither");
  CHECK(refusal(curve(units + "\"x\": [1, 2], \"y\": [3, 4]")) ==
        "my.json: /curves/latency_over_footprint/kind: missing, expected one of measured, datasheet, "
        "published, derived, assumed");
  CHECK(refusal(curve("\"x_unit\": \"KiB\", \"y_unit\": \"cycles\", \"x\": [1], \"y\": [3]" + origin)) ==
        "my.json: /curves/latency_over_footprint/x_unit: 'KiB', expected 'bytes'");

  const auto table = [](const std::string& y) {
    return with("\"parameters\":",
                "\"tables\": {\"fma_rate_over_warps_and_ilp\": {\"row_unit\": \"warps/SM\", \"column_unit\": "
                "\"chains\", \"y_unit\": \"FMA/cycle\", \"rows\": [1, 2], \"columns\": [1], \"y\": " +
                    y + ", \"kind\": \"measured\", \"source\": \"test\"}}, \"parameters\":");
  };
  CHECK(refusal(table("[8, 16]")) == "accepted");
  CHECK(refusal(table("[8, 16, 32]")) ==
        "my.json: /tables/fma_rate_over_warps_and_ilp/y: 3 values, expected 2");
}
