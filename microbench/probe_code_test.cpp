// The probes' device code compiles for every architecture in use, without spills: a spilled register is
// memory traffic inside the window. Needs NVRTC, no GPU.
#include <algorithm>
#include <map>
#include <optional>

#include "kernels/runtime/compile.hpp"
#include "microbench/code_log.hpp"
#include "microbench/disassembly.hpp"
#include "microbench/expected_code.hpp"
#include "microbench/operand_patch.hpp"
#include "microbench/operand_reads.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/stream_bench.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "model/support/statistics.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

std::vector<StreamShape> stream_shapes() {
  std::vector<StreamShape> shapes;
  for (const int loads : {1, 2, 4, 8}) {
    StreamShape shape;
    shape.loads = loads;
    for (const StreamMode mode : {StreamMode::read, StreamMode::write, StreamMode::copy}) {
      shape.mode = mode;
      shapes.push_back(shape);
    }
    for (const int every : {2, 4}) {
      shape.write_every = every;
      if (loads == 4) shapes.push_back(shape);
    }
    shape.write_every = 1;
    shape.write_copies = 2;
    if (loads <= 4) shapes.push_back(shape);
    shape = {};
    shape.loads = loads;
    shape.through_l1 = true;
    shapes.push_back(shape);
    shape.through_l1 = false;
    for (const int bytes : {4, 8}) {
      shape.access_bytes = bytes;
      shapes.push_back(shape);
    }
    shape.access_bytes = 16;
    shape.mechanism = StreamMechanism::cp_async;
    shapes.push_back(shape);
    shape.mechanism = StreamMechanism::bulk;
    if (loads <= 4) shapes.push_back(shape);
  }
  return shapes;
}

bool is_bulk(const Specialisation& code) {
  return code.entry == "stream_async" && code.defines.front().value == 2;
}

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
  for (const StreamShape& shape : stream_shapes())
    codes.push_back(stream_code(shape));
  for (int is_float : {0, 1}) {
    codes.push_back({"probes/atomics.cu", "atomic_chain", {{"FLOAT", is_float}}});
    for (int returning : {0, 1})
      codes.push_back({"probes/atomics.cu", "atomic_rate", {{"RETURNING", returning}, {"FLOAT", is_float}}});
  }
  for (int words : {1, 2, 4, 8, 32, 128})
    codes.push_back({"probes/partial_writes.cu",
                     "partial_writes",
                     {{"PIECE_WORDS", words}, {"VISITS", words < 4 ? 8 / words : 2}}});
  codes.push_back({"probes/l2_capacity.cu", "l2_residency", {}});
  for (int loads : {1, 12})
    codes.push_back({"probes/issue_burst.cu", "issue_burst", {{"LOADS", loads}, {"SCHEDULERS", 1}}});
  for (int stores : {0, 1})
    codes.push_back({"probes/barrier.cu", "fences", {{"BODY", 8}, {"STORES", stores}}});
  codes.push_back({"probes/launch.cu", "stays", {}});
  for (int loads : {0, 8})
    codes.push_back({"probes/launch.cu", "dependent_loads", {{"LOADS", loads}}});
  for (int load : {0, 1})
    codes.push_back({"probes/first_pass.cu", "first_pass", {{"BODY", 1024}, {"LOAD", load}}});
  for (int piece : {4, 16, 128})
    for (int fill : {0, 1, 2})
      codes.push_back(
          {"probes/store_pieces.cu",
           "store_pieces",
           {{"WIDTH", std::min(piece, 16)}, {"PIECE", piece}, {"PERIOD", 2 * piece}, {"FILL", fill}, {"STORES", 8}}});
  if (target.major >= 9) {
    for (int relaxed : {0, 1})
      codes.push_back({"probes/cluster.cu", "cluster_barriers", {{"BODY", 24}, {"RELAXED", relaxed}}});
    codes.push_back({"probes/cluster.cu", "cluster_read", {}});
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
      if (is_bulk(code) && target.major < 9) continue;  // there are no bulk copies before sm_90
      INFO(code.key() << " for " << target.name());
      const auto compiled = compiled_for(code, target);
      if (!compiled) return;
      CHECK(compiled->record.spill_bytes == 0);
      CHECK(compiled->record.registers > 0);
      // 65536 registers an SM: 64 warps of loops, 32 of streams with eight accesses a thread.
      const bool few_warps = code.entry.starts_with("stream") || code.entry == "loaded_latency" ||
                             code.entry == "atomic_chain" || code.entry == "l2_residency";
      CHECK(compiled->record.registers <= (few_warps ? 64 : 32));
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
    if (is_bulk(code) && target.major < 9) continue;
    const ExpectedCode* expected = find_expected_code(code.source, code.entry);
    REQUIRE(expected != nullptr);
    if (expected->loops) codes.push_back(code);
  }
  for (const auto& [filters, pixels] : {std::pair{1, 1}, std::pair{16, 8}})
    codes.push_back({"probes/register_tile.cu",
                     "register_tile",
                     {{"TILE_M", filters}, {"TILE_P", pixels}, {"TAPS", 3}, {"BODY", 768}}});
  for (const auto& [m, n] : {std::pair{4, 4}, std::pair{12, 8}, std::pair{16, 4}})
    codes.push_back(
        {"probes/outer_product.cu",
         "outer_product",
         {{"TILE_M", m}, {"TILE_N", n}, {"STEPS", std::max(4, 512 / (m * n) / 2 * 2)}, {"LOADS", 1}}});
  for (const auto& [width, spacing] :
       {std::pair{4, 8}, std::pair{8, 16}, std::pair{16, 64}, std::pair{16, 0}})
    codes.push_back(
        {"probes/load_mix.cu", "load_mix", {{"WIDTH", width}, {"SPACING", spacing}, {"FMAS", 256}}});
  for (const int kind : {1, 2})
    for (const int others : {0, 1, 4})
      codes.push_back({"probes/issue.cu", "issue_mix", {{"KIND", kind}, {"OTHERS", others}, {"BODY", 512}}});
  for (const int piece : {1, 2, 10})
    codes.push_back({"probes/partial_writes.cu", "partial_writes", {{"PIECE_WORDS", piece}, {"VISITS", 2}}});
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

TEST_CASE("probe code: what waits, mixes, loads and copies compiles where the GPU has it") {
  struct Case {
    Specialisation code;
    int least_major;
  };
  std::vector<Case> cases = {
      {{"probes/launch.cu", "depends", {}}, 9},
      {{"probes/mbarrier.cu", "mbarrier_rounds", {}}, 8},
      {{"probes/copies.cu", "bulk_copy", {{"COPIES", 4}, {"BYTES", 16384}}}, 9},
      {{"probes/fma.cu", "fma_chains", {{"ILP", 16}, {"BODY", 4096}}}, 8},
      {{"probes/n_fma.cu", "n_fma", {{"FMAS", 64}, {"LOADS", 1}}}, 8},
      {{"probes/n_fma.cu", "n_fma", {{"FMAS", 1024}, {"LOADS", 4}}}, 8},
  };
  for (int kind : {1, 2})
    cases.push_back({{"probes/issue.cu", "issue_mix", {{"KIND", kind}, {"OTHERS", 4}, {"BODY", 512}}}, 8});
  for (int width : {4, 8, 16}) {
    for (const char* entry : {"l1_load", "global_store", "async_copy"})
      cases.push_back({{"probes/copies.cu", entry, {{"WIDTH", width}}}, 8});
    for (const char* entry : {"shared_load", "shared_store", "shared_latency"})
      cases.push_back({{"probes/shared_access.cu", entry, {{"WIDTH", width}, {"BODY", 256}}}, 8});
  }
  for (const Architecture target : {Architecture{8, 0}, Architecture{9, 0}, Architecture{10, 0}}) {
    for (const auto& [code, least_major] : cases) {
      if (target.major < least_major) continue;
      INFO(code.key() << " for " << target.name());
      const auto compiled = compiled_for(code, target);
      if (!compiled) return;
      CHECK(compiled->record.spill_bytes == 0);
      CHECK(compiled->record.registers <= 128);  // 16 warps
    }
  }
}

// The machine code itself, not what the source meant: sm_80 and sm_90 share its encoding.
TEST_CASE("probe code: the timed loops hold as many FFMAs as the rates are computed from") {
  for (const Architecture target : {Architecture{8, 0}, Architecture{9, 0}}) {
    const auto reads_of = [&](const Specialisation& code) -> std::optional<OperandReads> {
      const auto compiled = compiled_for(code, target);
      if (!compiled) return std::nullopt;
      const auto words = machine_words(compiled->cubin);
      return operand_reads(ffma_loop(words, target.major));
    };
    for (int ilp : {4, 16}) {
      const auto reads = reads_of({"probes/fma.cu", "fma_chains", {{"ILP", ilp}, {"BODY", 512}}});
      if (!reads) return;
      CHECK(reads->ffmas == 512);
      CHECK(reads->instructions <= 512 + 4);
      CHECK(reads->busier_bank < 1.02);  // or register ports would limit the peak rate
    }
    const auto hidden = reads_of({"probes/n_fma.cu", "n_fma", {{"FMAS", 512}, {"LOADS", 4}}});
    if (!hidden) return;
    CHECK(hidden->ffmas == 512);
    CHECK(hidden->instructions <= 512 + 30);
    for (int loads : {0, 1}) {
      const auto reads = reads_of({"probes/outer_product.cu",
                                   "outer_product",
                                   {{"TILE_M", 8}, {"TILE_N", 8}, {"STEPS", 8}, {"LOADS", loads}}});
      if (!reads) return;
      CHECK(reads->ffmas == 512);
      CHECK(reads->instructions >=
            512U + 3 + static_cast<unsigned>(loads) * 8 * 4);  // a step's 16 operands are four loads
      CHECK(reads->instructions <= 512U + 8 + static_cast<unsigned>(loads) * 8 * 4);
    }
  }
}

TEST_CASE("probe code: the operands of a compiled loop can be exchanged") {
  for (const Architecture target : {Architecture{8, 0}, Architecture{9, 0}}) {
    const auto compiled = compiled_for({"probes/fma_operands.cu", "fma_operands", {{"BODY", 512}}}, target);
    if (!compiled) return;
    const auto words = machine_words(compiled->cubin);
    const auto loop = ffma_loop(words, target.major);
    const auto cubin = replace_code(compiled->cubin, loop, with_operands(loop, {"eee", {"eee"}}));
    const auto patched = machine_words(cubin);
    const OperandReads reads = operand_reads(ffma_loop(patched, target.major));
    CHECK(reads.ffmas == 512);
    CHECK(reads.busier_bank == 3);
    CHECK(reads.other_bank == 0);
  }
}

// The rule of operand_reads.hpp against the H200: both take the same machine code.
TEST_CASE("probe code: operand reads say what the H200 measured for exchanged operands") {
  const std::string path = TILECAST_SOURCE_DIR "/microbench/results/nvidia-h200/fma_ports.csv";
  const CsvTable samples = parse_csv(read_file(path), path);
  const auto key = samples.column("key").value(), value = samples.column("value").value();
  std::map<std::string, std::vector<double>> rates;
  const std::string prefix = "fma_rate_of_";
  for (const CsvRow& row : samples.rows) {
    if (row.fields[key].starts_with(prefix))
      rates[row.fields[key].substr(prefix.size())].push_back(csv_number(samples, row, value));
  }
  REQUIRE(rates.size() == 12);
  const auto compiled =
      compiled_for({"probes/fma_operands.cu", "fma_operands", {{"BODY", 512}}}, Architecture{9, 0});
  if (!compiled) return;
  const auto words = machine_words(compiled->cubin);
  const auto loop = ffma_loop(words, 9);
  for (const auto& [name, measured] : rates) {
    std::vector<std::string_view> ffmas;
    for (std::size_t at = 0; at < name.size(); at += 4)  // three letters and a line between them
      ffmas.push_back(std::string_view(name).substr(at, 3));
    const double cycles = operand_reads(with_operands(loop, {name, ffmas})).cycles;
    INFO(name << ": " << median(measured) << " measured, " << 128 / cycles << " by the rule");
    CHECK(128 / cycles == Approx(median(measured)).epsilon(0.02));
  }
}

TEST_CASE("probe code: the loads of a compiled loop can be spread over its FFMAs") {
  for (const Architecture target : {Architecture{8, 0}, Architecture{9, 0}}) {
    for (const int width : {4, 16}) {
      const Specialisation code{
          "probes/load_mix.cu", "load_mix", {{"WIDTH", width}, {"SPACING", 16}, {"FMAS", 256}}};
      const auto compiled = compiled_for(code, target);
      if (!compiled) return;
      const auto words = machine_words(compiled->cubin);
      const auto loop = ffma_loop(words, target.major);
      const auto spread = with_spread_loads(loop);
      const auto cubin = replace_code(compiled->cubin, loop, spread);
      // Between two loads stand the FFMAs of one spacing, and here and there one of the loop's own
      // instructions.
      std::size_t between = 0, loads = 0;
      for (const MachineWord& word : spread) {
        if ((word.low & 0xfff) != 0x984) {
          ++between;
          continue;
        }
        if (loads++ > 0) CHECK((between >= 16 && between <= 19));
        between = 0;
      }
      CHECK(loads == 16);
      const auto dropped = replace_code(compiled->cubin, loop, without_results(spread));
      CHECK(operand_reads(ffma_loop(machine_words(dropped), target.major)).ffmas == 256);
    }
  }
}

TEST_CASE("probe code: the stall counts of a loop are the FFMAs' cycles, and the branch's") {
  for (const Architecture target : {Architecture{8, 0}, Architecture{9, 0}}) {
    const auto compiled = compiled_for({"probes/fma.cu", "fma_chains", {{"ILP", 16}, {"BODY", 64}}}, target);
    if (!compiled) return;
    const auto words = machine_words(compiled->cubin);
    const int cycles = stall_cycles(ffma_loop(words, target.major));
    const int each = target.major == 8 ? 2 : 1;  // sm_80 has half the lanes
    CHECK(cycles >= 64 * each + 3);
    CHECK(cycles <= 64 * each + 32);
  }
}

TEST_CASE("probe code: outer products fit in the registers of eight warps, without spills") {
  for (int m : {4, 8, 12, 16}) {
    for (int n : {4, 8}) {
      for (int loads : {0, 1}) {
        const int steps = std::max(4, 512 / (m * n) / 2 * 2);
        const auto compiled =
            compiled_for({"probes/outer_product.cu",
                          "outer_product",
                          {{"TILE_M", m}, {"TILE_N", n}, {"STEPS", steps}, {"LOADS", loads}}},
                         {9, 0});
        if (!compiled) return;
        INFO(m << "x" << n << (loads ? " with loads" : ""));
        CHECK(compiled->record.spill_bytes == 0);
        CHECK(compiled->record.static_shared_bytes <= 48 * 1024);
      }
    }
  }
}

}  // namespace tilecast
