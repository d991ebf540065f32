#include "model/device/import_mt4g.hpp"

#include <algorithm>
#include <string>

#include "model/device/load.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// In the form of MT4G's result files; the numbers are made up.
std::string sample(const std::string& vendor = "NVIDIA", const std::string& latency_unit = "cycles") {
  return R"({
  "compute": {"maxBlocksPerMultiProcessor": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiProcessor": 2048,
              "multiProcessorCount": 100, "numberOfCoresPerMultiProcessor": 128, "regsPerBlock": 65536,
              "regsPerMultiProcessor": 65536, "warpSize": 32, "supportsCooperativeLaunch": true},
  "general": {"clockRate": {"unit": "kHz", "value": 1500000}, "computeCapability": {"major": 9, "minor": 0},
              "name": "NVIDIA X100 80GB", "vendor": ")" +
         vendor + R"("},
  "memory": {
    "l1": {"latency": {"mean": 38.5, "measurements": 255, "method": "p-chase", "p50": 38.0, "p95": 40.0,
                       "sampleSize": 256, "stdev": 0.5, "unit": ")" +
         latency_unit + R"("},
           "size": {"confidence": 0.97, "method": "p-chase", "randomized": false, "size": 238848, "unit": "bytes"}},
    "l2": {"latency": {"mean": 219.3, "measurements": 255, "method": "p-chase", "p50": 222.0, "p95": 231.0,
                       "sampleSize": 256, "stdev": 11.5, "unit": "cycles"},
           "readBandwidth": {"unit": "GiB/s", "value": 4000.0}, "size": {"unit": "bytes", "value": 52428800}},
    "main": {"latency": {"mean": 834.5, "measurements": 2047, "method": "p-chase", "p50": 864.0, "p95": 1126.4,
                         "sampleSize": 2048, "stdev": 140.5, "unit": "cycles"},
             "memoryBusWidth": {"unit": "bit", "value": 5120}, "memoryClockRate": {"unit": "kHz", "value": 2500000},
             "readBandwidth": {"unit": "GiB/s", "value": 2048.0}, "writeBandwidth": {"unit": "furlong", "value": 1},
             "totalGlobalMem": {"unit": "bytes", "value": 85899345920}},
    "shared": {"readBandwidthPerCU": {"cycles": 142606836, "measuredBandwidth": 79.1, "numBlocks": 1},
               "reservedSharedMemPerBlock": {"unit": "bytes", "value": 1024},
               "sharedMemPerBlock": {"unit": "bytes", "value": 49152},
               "sharedMemPerMultiProcessor": {"unit": "KiB", "value": 228}}},
  "meta": {"driver": 12080, "gpuCompiler": "nvcc 12.8.93", "os": "Linux", "timestamp": "2025-08-10T00:03:09Z"}})";
}

bool names(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(lines, [&](const auto& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("import_mt4g: values in base units, with their source", "[device]") {
  const auto imported = import_mt4g(sample(), "x100.json");
  const DeviceProfile& device = imported.profile;
  CHECK(device.name == "x100-80gb");
  CHECK(device.gpu_name == "NVIDIA X100 80GB");
  CHECK(device.compute_capability_major == 9);
  CHECK(device.driver == "CUDA 12.8");
  CHECK(device.toolkit == "nvcc 12.8.93");
  CHECK(device.measured_on == "2025-08-10");
  CHECK(device.sm_count.get() == 100);
  CHECK(device.fp32_lanes_per_sm.get() == 128);
  CHECK(device.registers_per_sm.get() == 65536);
  CHECK(device.shared_per_sm.get().value() == 228 * 1024);
  CHECK(device.boost_clock.get().value() == 1.5e9);
  CHECK(device.dram_peak.get().value() == 3.2e12);  // 2.5 GHz x 2 x 640 bytes
  CHECK(device.dram_peak.info.provenance.kind == SourceKind::derived);
  CHECK(device.dram_read.get().value() == 2048.0 * 1073741824);
  CHECK(device.l2_read.get().value() == 4000.0 * 1073741824);
  CHECK(device.dram_latency.get().value() == 864);
  CHECK(*device.dram_latency.info.samples == 2047);
  CHECK_FALSE(device.dram_latency.info.low);
  CHECK(device.dram_latency.info.provenance.source ==
        "MT4G, 2025-08-10: /memory/main/latency: p50 of single loads (mean 834.5, p95 1126)");
}

TEST_CASE("import_mt4g: what a profile cannot take is named, and what it needs is missing", "[device]") {
  const auto imported = import_mt4g(sample(), "x100.json");
  CHECK(names(imported.left_out, "sharedMemPerBlock: the default limit"));
  CHECK(names(imported.left_out, "readBandwidthPerCU: it states no unit"));
  CHECK(names(imported.left_out, "unit 'furlong' is not known"));
  CHECK_FALSE(imported.profile.dram_write.present());
  CHECK_FALSE(imported.profile.shared_per_block.present());
  const auto missing = missing_requirements(imported.profile);
  CHECK(names(missing, "sm_clock_hz"));
  CHECK(names(missing, "shared_per_block_bytes"));
  // It is a profile: written, read back, shown and checked like any other.
  const auto back = parse_device(format_device(imported.profile), "copy", Completeness::partial);
  CHECK(back.dram_latency.get().value() == 864);
}

TEST_CASE("import_mt4g: another form, maker or unit is refused with its place", "[device]") {
  const auto message = [](const std::string& text) {
    try {
      import_mt4g(text, "x.json");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message("{\n \"general\": {").starts_with("x.json:2:13: not JSON: syntax error"));
  CHECK(message("[]") == "x.json: no /general/name and /memory, expected a result file of MT4G");
  CHECK(message(sample("AMD")) == "x.json: /general/vendor: \"AMD\", expected 'NVIDIA'");
  CHECK(message(sample("NVIDIA", "ns")) == "x.json: /memory/l1/latency/unit: \"ns\", expected 'cycles'");
}
