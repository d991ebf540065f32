// Every family's device code compiles for every architecture it claims: needs NVRTC, no GPU.

#include <optional>

#include "kernels/family.hpp"
#include "kernels/runtime/compile.hpp"
#include "model/device/load.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// Of the paper's suites, so that their code is on record; each family supports at least one.
const ConvShape layers[] = {{.N = 1, .C = 1, .H = 28, .W = 28, .M = 512, .K = 3},
                            {.N = 1, .C = 256, .H = 14, .W = 14, .M = 256, .K = 3},
                            {.N = 1, .C = 256, .H = 14, .W = 14, .M = 256, .K = 1}};

// The plan of the family's first feasible config for one of the layers.
std::optional<LaunchPlan> first_plan(const KernelFamily& family, const DeviceProfile& device) {
  for (const auto& layer : layers) {
    if (family.supports(layer)) continue;
    for (const auto& config : family.configs(layer, device)) {
      if (!family.feasible(layer, config, device)) return family.plan(layer, config, device);
    }
  }
  return std::nullopt;
}

// The plan of the family's first feasible config that has a record: of large grids only a sample has.
std::optional<LaunchPlan> recorded_plan(const KernelFamily& family, const DeviceProfile& device,
                                        const CodeRecords& records) {
  for (const auto& layer : layers) {
    if (family.supports(layer)) continue;
    for (const auto& config : family.configs(layer, device)) {
      if (family.feasible(layer, config, device)) continue;
      auto plan = family.plan(layer, config, device);
      if (records.find(plan.code.key())) return plan;
    }
  }
  return std::nullopt;
}

bool have_nvrtc() {
  try {
    compiler_version();
    return true;
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
    return false;
  }
}

// false where this NVRTC does not know the architecture.
bool compiles(const LaunchPlan& plan, Architecture target) {
  try {
    const auto code = compile(plan.code, kernel_sources(), target);
    INFO(plan.code.key() << " for " << target.name());
    CHECK(code.record.registers > 0);
    return true;
  } catch (const UnavailableError& error) {
    WARN(error.what());
    return false;
  }
}

}  // namespace

TEST_CASE("families: a config feasible on a shipped device compiles for it", "[nvrtc]") {
  if (!have_nvrtc()) return;
  for (const auto& family : kernel_families()) {
    bool checked = false;
    for (const auto& name : device_names()) {
      const auto device = load_device(name);
      const auto plan = first_plan(family, device);
      if (!plan) continue;
      INFO(family.name << " on " << name);
      const Architecture target{device.compute_capability_major, device.compute_capability_minor};
      if (compiles(*plan, target)) checked = true;
    }
    CHECK(checked);
  }
}

TEST_CASE("families: the same code compiles from Ampere to Blackwell", "[nvrtc]") {
  if (!have_nvrtc()) return;
  const auto device = load_device("h100");
  for (const auto& family : kernel_families()) {
    const auto plan = first_plan(family, device);
    REQUIRE(plan);
    for (const Architecture target : {Architecture{8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}, {12, 0}}) {
      const bool known = compiles(*plan, target);
      if (target.major == 9) CHECK(known);
    }
  }
}

TEST_CASE("families: the committed code records are those of today's sources", "[nvrtc]") {
  const auto device = load_device("h100");
  const auto& records = committed_code_records(9, 0);
  if (!have_nvrtc()) return;
  if (records.compiler != compiler_version()) {
    WARN("skipped: recorded with '" << records.compiler << "', here is " << compiler_version());
    return;
  }
  for (const auto& family : kernel_families()) {
    INFO(family.name << ": run 'tilecast compile' as kernels/README.md says");
    const auto plan = recorded_plan(family, device, records);
    REQUIRE(plan);
    INFO(plan->code.key());
    const auto* record = records.find(plan->code.key());
    const auto code = compile(plan->code, kernel_sources(), {9, 0});
    CHECK(record->code_hash == code.record.code_hash);
    CHECK(record->registers == code.record.registers);
  }
}
