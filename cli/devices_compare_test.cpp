#include <fmt/format.h>

#include "cli/cli_test_support.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("devices compare: a profile with itself passes at any tolerance", "[cli]") {
  const auto same =
      run_tilecast({"devices", "compare", "h200", "h200", "--tolerance", "0", "--format", "csv"});
  CHECK(same.code == 0);
  CHECK(same.out ==
        "key,unit,first,second,ratio,intervals_overlap,same_method,points,differing_points,verdict\n");
  CHECK(has(same.err, " same within 0 %, 0 beyond it with overlapping intervals, 0 differ, 0 in one only"));
}

TEST_CASE("devices compare: what moved is named with numbers, and is exit 4 at a tolerance", "[cli]") {
  const Folder folder("devices_compare");
  DeviceProfile moved = load_device("h200");
  ParameterInfo info = moved.l1_latency.info;
  info.low = 35.0;
  info.high = 36.0;
  moved.l1_latency.set(Cycles{35.5}, info);
  moved.name = "again";
  write_file(folder / "again.json", format_device(moved));
  const auto all = run_tilecast({"devices", "compare", "h200", folder / "again.json"});
  CHECK(all.code == 0);
  CHECK(has(all.out, "l1_latency_cycles"));
  CHECK(has(all.out, "dram_latency_cycles"));
  CHECK(has(all.out, "35.5 cycles"));
  const auto gate = run_tilecast(
      {"devices", "compare", "h200", folder / "again.json", "--tolerance", "0.03", "--format", "jsonl"});
  CHECK(gate.code == 4);
  CHECK(has(gate.out, "\"key\":\"l1_latency_cycles\""));
  CHECK(has(gate.out, "\"intervals_overlap\":false"));
  CHECK_FALSE(has(gate.out, "dram_latency_cycles"));
  CHECK(run_tilecast({"devices", "compare", "h200", folder / "again.json", "--tolerance", "0.2"}).code == 0);
}

TEST_CASE("devices compare --reference: verdicts with the published range and its sources", "[cli]") {
  const auto out = run_tilecast({"devices", "compare", "v100", "--reference", "--format", "csv"});
  CHECK(out.code == 0);
  CHECK(has(out.out, "in range"));
  CHECK(has(out.out, "no reference"));
  CHECK(has(out.out, "gpu-benches"));
  const auto json = run_tilecast({"devices", "compare", "gtx-1080-ti", "--reference", "--format", "jsonl"});
  // The paper's 258 cycles lie far below the 413 to 443 measured on that die.
  CHECK(has(json.out, "{\"key\":\"dram_latency_cycles\",\"value\":258"));
  CHECK(has(json.out, "outside"));
  CHECK(has(json.err, "outside what was published"));
}

TEST_CASE("devices compare: bad usage has its exit code", "[cli]") {
  CHECK(run_tilecast({"devices", "compare", "h200"}).code == 2);
  CHECK(run_tilecast({"devices", "compare", "h200", "h100", "a100"}).code == 2);
  CHECK(run_tilecast({"devices", "compare", "h200", "h100", "--reference"}).code == 2);
  CHECK(run_tilecast({"devices", "compare", "h200", "h100", "--tolerance", "-1"}).code == 2);
  CHECK(run_tilecast({"devices", "compare", "h200", "h1000"}).code == 3);
  CHECK(run_tilecast({"devices", "import"}).code == 2);
  CHECK(run_tilecast({"devices", "import", "/no/such/file.json"}).code == 3);
}

TEST_CASE("devices import: an MT4G file becomes a profile, and what is missing is named", "[cli]") {
  const Folder folder("devices_import");
  write_file(folder / "mt4g.json", R"({
    "compute": {"multiProcessorCount": 132, "numberOfCoresPerMultiProcessor": 128, "maxThreadsPerMultiProcessor": 2048},
    "general": {"computeCapability": {"major": 9, "minor": 0}, "name": "NVIDIA H100 80GB HBM3", "vendor": "NVIDIA"},
    "memory": {"main": {"latency": {"mean": 834.5, "measurements": 2047, "p50": 700.0, "p95": 1126.4, "unit": "cycles"}},
               "shared": {"sharedMemPerBlock": {"unit": "bytes", "value": 49152}}},
    "meta": {"timestamp": "2025-08-10T00:03:09Z"}})");
  const auto partial = run_tilecast({"devices", "import", folder / "mt4g.json", "--out", folder / "p.json"});
  CHECK(partial.code == 7);
  CHECK(has(partial.err, "left out: /memory/shared/sharedMemPerBlock"));
  CHECK(has(partial.err, "partial: the models also need"));
  CHECK(has(partial.err, "sm_clock_hz"));
  CHECK(run_tilecast({"devices", "show", folder / "p.json"}).code == 0);
  CHECK(run_tilecast({"devices", "check", folder / "p.json"}).code == 0);

  const auto full = run_tilecast({"devices", "import", folder / "mt4g.json", "--base", "h100", "--name",
                                  "mine", "--out", folder / "f.json"});
  CHECK(full.code == 0);
  const DeviceProfile device = load_device(folder / "f.json");
  CHECK(device.name == "mine");
  CHECK(device.dram_latency.get().value() == 700);  // the file's, not the base's
  CHECK(has(device.sm_clock.info.provenance.source, "(taken from profile 'h100')"));
}
