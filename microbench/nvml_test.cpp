#include "microbench/nvml.hpp"

#include <algorithm>
#include <cstring>

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

using Device = NvmlFunctions::Device;

// Made-up GPUs for hostile situations. C functions cannot carry state, so each is a function of its own.
constexpr int success = 0, not_found = 6, not_supported = 3;
int gpu = 0, slice = 0;  // their addresses are handles

NvmlFunctions quiet_gpu() {
  NvmlFunctions f;
  f.init = [] { return success; };
  f.shutdown = [] { return success; };
  f.handle_by_uuid = [](const char* uuid, Device* device) {
    *device = &gpu;
    return std::strcmp(uuid, "GPU-1") == 0 ? success : not_found;
  };
  f.clock = [](Device, unsigned type, unsigned* megahertz) {
    *megahertz = type == 1 ? 1980 : 3201;
    return success;
  };
  f.power = [](Device, unsigned* milliwatts) {
    *milliwatts = 80'000;
    return success;
  };
  f.temperature = [](Device, unsigned, unsigned* celsius) {
    *celsius = 41;
    return success;
  };
  f.event_reasons = [](Device, unsigned long long* bits) {
    *bits = 1;  // idle
    return success;
  };
  f.pci = [](Device, NvmlFunctions::PciInfo* pci) {
    pci->pci_device_id = 0x233510de;
    return success;
  };
  f.ecc = [](Device, unsigned* current, unsigned*) {
    *current = 1;
    return success;
  };
  f.mig = [](Device, unsigned* current, unsigned*) {
    *current = 0;
    return success;
  };
  f.power_limit = [](Device, unsigned* milliwatts) {
    *milliwatts = 700'000;
    return success;
  };
  f.utilization = [](Device, NvmlFunctions::Utilization* used) {
    *used = {0, 0};
    return success;
  };
  f.processes = [](Device, unsigned* count, NvmlFunctions::ProcessInfo*) {
    *count = 1;  // this one
    return success;
  };
  return f;
}

bool mentions(const std::vector<std::string>& texts, std::string_view part) {
  return std::ranges::any_of(texts, [&](const auto& text) { return text.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("nvml: a summary holds what was told, and every reason but idleness") {
  const NvmlSample samples[] = {
      {1.98e9, 3.2e9, 400, 50, 1},               // idle: before the load began
      {1.98e9, std::nullopt, 600, 51, 4},        // power cap
      {1.9e9, 3.2e9, std::nullopt, 52, 4 | 32},  // and thermal
      {},
  };
  const NvmlSummary summary = summarise_nvml(samples);
  CHECK(summary.sm_clock_hz == std::vector<double>{1.98e9, 1.98e9, 1.9e9});
  CHECK(summary.memory_clock_hz == std::vector<double>{3.2e9, 3.2e9});
  CHECK(summary.power_w == std::vector<double>{400, 600});
  CHECK(summary.temperature_c.size() == 3);
  CHECK(summary.event_reasons == (4U | 32U));
}

TEST_CASE("nvml: nothing told is nothing, and only idleness is no reason at all") {
  CHECK_FALSE(summarise_nvml({}).event_reasons);
  const NvmlSample idle[] = {{std::nullopt, std::nullopt, std::nullopt, std::nullopt, 1}};
  CHECK(summarise_nvml(idle).event_reasons == 0U);
}

TEST_CASE("nvml: a quiet GPU has conditions and no warnings") {
  const Nvml nvml(quiet_gpu(), "GPU-1");
  const Conditions conditions = nvml.conditions();
  CHECK(conditions.pci_id == "10de:2335");
  CHECK(conditions.ecc == true);
  CHECK(conditions.mig == false);
  CHECK(conditions.power_limit_w == 700);
  CHECK(conditions.warnings.empty());
  const GpuState state = state_of(nvml.sample());
  CHECK(state.memory_clock_hz == 3201e6);
  CHECK(state.power_w == 80);
  CHECK(state.temperature_c == 41);
  CHECK(state.throttled.empty());
  CHECK_FALSE(state.sm_clock_hz);  // by in-kernel clocks only
}

TEST_CASE("nvml: power of the moment is preferred to the average") {
  NvmlFunctions f = quiet_gpu();
  f.fields = [](Device, int, NvmlFunctions::FieldValue* field) {
    field->result = field->field == 186 ? success : not_supported;
    field->value.u32 = 512'000;
    return success;
  };
  CHECK(Nvml(f, "GPU-1").sample().power_w == 512);
  f.fields = [](Device, int, NvmlFunctions::FieldValue* field) {
    field->result = not_supported;
    return success;
  };
  CHECK(Nvml(f, "GPU-1").sample().power_w == 80);
}

TEST_CASE("nvml: a GPU that throttles says why, several reasons at once") {
  NvmlFunctions f = quiet_gpu();
  f.event_reasons = [](Device, unsigned long long* bits) {
    *bits = 0x4 | 0x20;
    return success;
  };
  CHECK(state_of(Nvml(f, "GPU-1").sample()).throttled ==
        std::vector<std::string>{"software power cap", "software thermal slowdown"});
}

TEST_CASE("nvml: another process, and a GPU that is busy already, are warned of") {
  NvmlFunctions f = quiet_gpu();
  f.processes = [](Device, unsigned* count, NvmlFunctions::ProcessInfo*) {
    *count = 3;
    return success;
  };
  f.utilization = [](Device, NvmlFunctions::Utilization* used) {
    *used = {97, 40};
    return success;
  };
  const auto warnings = Nvml(f, "GPU-1").conditions().warnings;
  CHECK(mentions(warnings, "2 other processes"));
  CHECK(mentions(warnings, "97 % busy"));
}

TEST_CASE("nvml: a slice is found by the name that NVML has for it, and marked") {
  NvmlFunctions f = quiet_gpu();
  f.handle_by_uuid = [](const char* uuid, Device* device) {
    *device = &slice;
    return std::strcmp(uuid, "MIG-1") == 0 ? success : not_found;
  };
  f.parent_of_slice = [](Device of, Device* parent) {
    *parent = &gpu;
    return of == &slice ? success : not_found;
  };
  f.power = [](Device of, unsigned* milliwatts) {  // known of the whole GPU only
    *milliwatts = 300'000;
    return of == &gpu ? success : not_supported;
  };
  const Nvml nvml(f, "GPU-1");
  CHECK(nvml.conditions().mig == true);
  CHECK(mentions(nvml.conditions().warnings, "MIG is on"));
  CHECK(nvml.sample().power_w == 300);
  f.parent_of_slice = nullptr;  // a library from before MIG
  CHECK_THROWS_AS(Nvml(f, "GPU-1"), UnavailableError);
}

TEST_CASE("nvml: what an old library lacks, or refuses, is absent and not invented") {
  NvmlFunctions f;
  f.init = quiet_gpu().init;
  f.shutdown = quiet_gpu().shutdown;
  f.handle_by_uuid = quiet_gpu().handle_by_uuid;
  f.ecc = [](Device, unsigned* current, unsigned*) {
    *current = 1;
    return not_supported;
  };
  const Nvml nvml(f, "GPU-1");
  const Conditions conditions = nvml.conditions();
  CHECK(conditions.pci_id.empty());
  CHECK_FALSE(conditions.ecc);
  CHECK_FALSE(conditions.mig);
  CHECK_FALSE(conditions.power_limit_w);
  CHECK(conditions.warnings.empty());
  const NvmlSample sample = nvml.sample();
  CHECK_FALSE(sample.sm_clock_hz);
  CHECK_FALSE(sample.power_w);
  CHECK_FALSE(sample.event_reasons);
}

TEST_CASE("nvml: a library that does not start, and a GPU it does not know, are told so") {
  NvmlFunctions f = quiet_gpu();
  CHECK_THROWS_AS(Nvml(f, "GPU-2"), UnavailableError);
  f.init = [] { return 9; };  // driver not loaded
  CHECK_THROWS_AS(Nvml(f, "GPU-1"), UnavailableError);
}

TEST_CASE("nvml: a measurement without it says what is unknown") {
  const Conditions conditions = conditions_without_nvml("no library");
  REQUIRE(conditions.warnings.size() == 1);
  CHECK(conditions.warnings.front().find("no library") != std::string::npos);
  CHECK(conditions.warnings.front().find("ECC") != std::string::npos);
  CHECK(conditions.pci_id.empty());
  CHECK_FALSE(conditions.ecc);
}

}  // namespace tilecast
