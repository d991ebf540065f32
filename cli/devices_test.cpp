#include <fmt/format.h>

#include <sstream>

#include "cli/cli_test_support.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

Outcome run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "devices");
  return run_tilecast(arguments);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("devices list: every shipped profile", "[cli]") {
  const auto table = run({"list"});
  CHECK(table.code == 0);
  for (const auto& name : device_names())
    CHECK(has(table.out, name));
  const auto csv = run({"list", "--format", "csv"});
  CHECK(csv.out.starts_with("name,gpu_name,compute_capability,sm_count,sm_clock_hz,"));
  CHECK(has(csv.out, "gtx-1080-ti,NVIDIA GeForce GTX 1080 Ti,6.1,28,1480000000,484000000000,258,\n"));
}

TEST_CASE("devices show: values, alternatives and both conventions of N_FMA", "[cli]") {
  const auto shown = run({"show", "gtx-1080-ti"});
  CHECK(shown.code == 0);
  CHECK(has(shown.out, "258 cycles"));
  CHECK(has(shown.out, "415 cycles"));
  CHECK(has(shown.out, "MT4G"));
  CHECK(has(shown.out, "96 KiB"));
  CHECK(has(shown.out, "33024"));
  CHECK(has(shown.out, "66048"));
  CHECK(has(shown.out, "84373 bytes"));
  CHECK(has(shown.out, "V_s measured: absent"));
}

TEST_CASE("devices show: says which values predictions read", "[cli]") {
  const auto shown = run({"show", "h200"});
  const auto line_of = [&](const std::string& key) {
    const auto begin = shown.out.find("\n" + key + " ");
    REQUIRE(begin != std::string::npos);
    return shown.out.substr(begin + 1, shown.out.find('\n', begin + 1) - begin);
  };
  CHECK(has(line_of("dram_write_bytes_per_s"), " read "));
  CHECK(has(line_of("dram_write_over_piece_and_distance"), " read "));
  CHECK_FALSE(has(line_of("dram_write_unaligned_over_piece_and_distance"), " read "));
  CHECK(has(shown.out, "models: what predictions read"));
}

TEST_CASE("devices show: a measured V_s stands beside the derived one", "[cli]") {
  auto device = load_device("gtx-1080-ti");
  ParameterInfo info;
  info.low = 160 * 1024;
  info.high = 180 * 1024;
  info.samples = 11;
  info.provenance = {SourceKind::measured, "probe dram_bandwidth"};
  device.v_s_95.set(Bytes{168746}, info);
  const std::string path = "devices_test_measured.json";
  write_file(path, format_device(device));
  const auto shown = run({"show", path});
  std::remove(path.c_str());
  CHECK(has(shown.out, "v_s_95_over_peak_ratio"));
  CHECK(has(shown.out, "160 KiB .. 180 KiB, n = 11"));
}

TEST_CASE("devices show: a measured profile tells its runs and conditions", "[cli]") {
  auto device = load_device("h100");
  MeasurementRun measured{"fma 2026-01-02T03:04:05Z", "fma", "2026-01-02T03:04:05Z", 3.25,
                          "0123456789abcdef"};
  measured.sm_clock_before_hz = 1.98e9;
  measured.machine_code = "as declared: 7 kernels";
  measured.throttled = {"software power cap"};
  measured.problem = "fma: needs more memory";
  device.runs = {measured};
  device.conditions = {"10de:2335", true, false, 700, {"1 other process on this GPU"}};
  const std::string path = "devices_test_runs.json";
  write_file(path, format_device(device));
  const auto shown = run({"show", path});
  std::remove(path.c_str());
  for (const char* part :
       {"fma 2026-01-02T03:04:05Z", "0123456789abcdef", "1980", "as declared: 7 kernels",
        "software power cap", "fma: needs more memory",
        "PCI id 10de:2335, ECC on, MIG off, power limit 700 W", "warning: 1 other process on this GPU"})
    CHECK(has(shown.out, part));
}

TEST_CASE("devices show: json is the profile itself", "[cli]") {
  const auto shown = run({"show", "h100", "--format", "json"});
  CHECK(shown.code == 0);
  CHECK(shown.out == format_device(load_device("h100")));
}

TEST_CASE("devices check: shipped profiles pass, a broken one fails with exit 4", "[cli]") {
  const auto good = run({"check"});
  CHECK(good.code == 0);
  CHECK(good.err.empty());

  auto device = load_device("h100");
  device.dram_latency.set(Cycles{100}, device.dram_latency.info);
  device.name = "broken";
  const std::string path = "devices_test_broken.json";
  write_file(path, format_device(device));
  const auto bad = run({"check", "a100", path});
  std::remove(path.c_str());
  CHECK(bad.code == 4);
  CHECK(has(bad.out, "l2_latency_cycles = 280 is not below dram_latency_cycles = 100"));
  CHECK(has(bad.err, "violations"));
}

TEST_CASE("devices: bad input and bad usage have their exit codes", "[cli]") {
  const auto unknown = run({"show", "h1000"});
  CHECK(unknown.code == 3);
  CHECK(unknown.err == "error: unknown device 'h1000'\nhint: did you mean 'h100'?\n");
  CHECK(run({}).code == 2);
  CHECK(run({"lst"}).code == 2);
  CHECK(run({"show"}).code == 2);
  CHECK(run({"show", "a100", "h100"}).code == 2);
  CHECK(run({"list", "a100"}).code == 2);
  CHECK(run({"show", "a100", "--format", "csv"}).code == 2);
  CHECK(run({"list", "--format", "xml"}).code == 2);
}

TEST_CASE("devices schema: prints the schema", "[cli]") {
  const auto schema = run({"schema"});
  CHECK(schema.code == 0);
  CHECK(schema.out == device_schema());
}
