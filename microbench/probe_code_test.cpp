// The probes' device code compiles for every architecture in use, without spills: a spilled register is
// memory traffic inside the window. Needs NVRTC, no GPU.
#include <optional>

#include "kernels/runtime/compile.hpp"
#include "microbench/code_log.hpp"
#include "microbench/disassembly.hpp"
#include "microbench/expected_code.hpp"
#include "microbench/probe_kernel.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

std::vector<Specialisation> specialisations(const Architecture& target) {
  std::vector<Specialisation> codes = {
      {"probes/fill.cu", "fill", {}},
      {"probes/launch.cu", "nothing", {}},
      {"probes/launch.cu", "reads_parameters", {}},
      {"probes/launch.cu", "stores", {}},
      {"probes/shared.cu", "shared_chase", {}},
      {"probes/shared.cu", "shared_read", {}},
      {"probes/barrier.cu", "barriers", {{"BODY", 192}}},
      {"probes/fma.cu", "fma_chains", {{"ILP", 1}, {"BODY", 768}}},
      {"probes/latency.cu", "ring_build", {{"CACHE", 1}}},
      {"probes/latency.cu", "ring_walk", {{"CACHE", 1}}},
      {"probes/latency.cu", "timed_chase", {{"CACHE", 1}}},
      {"probes/latency.cu", "chase", {{"CACHE", 0}}},
      {"probes/latency.cu", "chase", {{"CACHE", 1}}},
  };
  for (int loads : {1, 2, 4})
    codes.push_back({"probes/loaded_latency.cu", "loaded_latency", {{"IN_FLIGHT", loads}}});
  if (target.major >= 9) codes.push_back({"probes/cluster.cu", "cluster_chase", {}});
  codes.push_back({"probes/plain_chase.cu", "plain_chase", {}});
  codes.push_back({"probes/residency.cu", "residency", {{"REGISTERS", 0}}});
  for (int ilp : {2, 4, 8, 16})
    codes.push_back({"probes/fma.cu", "fma_chains", {{"ILP", ilp}, {"BODY", 512}}});
  for (int mode : {0, 1, 2}) {
    for (int loads : {1, 2, 4, 8}) {
      codes.push_back({"probes/stream.cu", "stream", {{"MODE", mode}, {"IN_FLIGHT", loads}}});
    }
  }
  return codes;
}

std::optional<CompiledCode> compiled_for(const Specialisation& code, const Architecture& target) {
  try {
    return compile(code, probe_sources(), target);
  } catch (const UnavailableError& error) {
    WARN("not checked: " << error.what());
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("probe code: compiles without spills, and fits as many warps as its sweep asks for") {
  for (const Architecture target : {Architecture{8, 0}, Architecture{9, 0}, Architecture{10, 0}}) {
    for (const Specialisation& code : specialisations(target)) {
      INFO(code.key() << " for " << target.name());
      const auto compiled = compiled_for(code, target);
      if (!compiled) return;
      CHECK(compiled->record.spill_bytes == 0);
      CHECK(compiled->record.registers > 0);
      // 65536 registers an SM: 64 warps of loops, 32 of streams with eight accesses a thread.
      CHECK(compiled->record.registers <=
            (code.entry == "stream" || code.entry == "loaded_latency" ? 64 : 32));
    }
  }
}

TEST_CASE("probe code: values kept live are registers, without spills") {
  for (const Architecture target : {Architecture{8, 0}, Architecture{9, 0}, Architecture{10, 0}}) {
    for (int kept : {24, 48, 80, 110, 150, 200}) {
      const auto compiled = compiled_for({"probes/residency.cu", "residency", {{"REGISTERS", kept}}}, target);
      if (!compiled) return;
      INFO(kept << " for " << target.name());
      CHECK(compiled->record.spill_bytes == 0);
      CHECK(compiled->record.registers > kept);
      CHECK(compiled->record.registers <= kept + 24);
    }
  }
}

namespace {

// Slow enough that each architecture is a case of its own.
void check_machine_code(Architecture target) {
  const auto nvdisasm = find_nvdisasm();
  if (!nvdisasm) {
    WARN("not checked: nvdisasm was not found");
    return;
  }
  std::vector<Specialisation> codes;
  for (const Specialisation& code : specialisations(target)) {
    const ExpectedCode* expected = find_expected_code(code.source, code.entry);
    REQUIRE(expected != nullptr);
    if (expected->loops) codes.push_back(code);
  }
  for (const auto& [filters, pixels] : {std::pair{1, 1}, std::pair{16, 8}})
    codes.push_back({"probes/register_tile.cu",
                     "register_tile",
                     {{"TILE_M", filters}, {"TILE_P", pixels}, {"TAPS", 3}, {"BODY", 768}}});
  std::vector<CodeLog> logs;
  for (const Specialisation& code : codes) {
    const auto compiled = compiled_for(code, target);
    if (!compiled) return;
    logs.push_back({{code, compiled->cubin, compiled->record}});
  }
  const auto verdicts = examine_code(logs, nvdisasm, 2);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    INFO(codes[i].key() << " for " << target.name() << ": " << verdicts[i].state);
    CHECK(verdicts[i].problem.empty());
    CHECK(verdicts[i].state.starts_with("as declared: 1 kernels"));
  }
}

}  // namespace

TEST_CASE("probe code: the machine code for sm_80 holds what the probes declare") {
  check_machine_code({8, 0});
}
TEST_CASE("probe code: the machine code for sm_90 holds what the probes declare") {
  check_machine_code({9, 0});
}
TEST_CASE("probe code: the machine code for sm_100 holds what the probes declare") {
  check_machine_code({10, 0});
}

TEST_CASE("probe code: every register tile fits in the registers of eight warps, without spills") {
  for (const Architecture target : {Architecture{8, 0}, Architecture{9, 0}, Architecture{10, 0}}) {
    for (int filters : {1, 2, 4, 8, 16}) {
      for (int pixels : {1, 2, 4, 8}) {
        const auto compiled =
            compiled_for({"probes/register_tile.cu",
                          "register_tile",
                          {{"TILE_M", filters}, {"TILE_P", pixels}, {"TAPS", 3}, {"BODY", 768}}},
                         target);
        if (!compiled) return;
        INFO(filters << "x" << pixels << " for " << target.name());
        CHECK(compiled->record.spill_bytes == 0);
        CHECK(compiled->record.registers > filters * pixels);  // the accumulators are registers
        CHECK(compiled->record.registers <= 65536 / (8 * 32));
      }
    }
  }
}

}  // namespace tilecast
