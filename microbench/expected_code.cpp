// THE list of what probe kernels must hold. The counts follow from the sources; that the compilers of CUDA 13
// keep them for sm_80, sm_90 and sm_100, and how many instructions stand beside them in the loop (counter,
// comparison, branch; at most two more), was read from nvdisasm's listings.
#include "microbench/expected_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "microbench/loop_opcodes.hpp"

namespace tilecast {

namespace {

using Loops = std::vector<ExpectedLoop>;

// A counted loop: increment, comparison, branch, and an instruction or two that differ from one architecture
// to the next.
constexpr int loop_control = 6;
constexpr int any_number = 1 << 30;

std::int64_t constant_or(const Specialisation& code, std::string_view name, std::int64_t fallback) {
  const auto found =
      std::ranges::find_if(code.defines, [&](const auto& define) { return define.name == name; });
  return found == code.defines.end() ? fallback : found->value;
}

Loops fma_chains(const Specialisation& code) {
  const auto chains = constant(code, "ILP");
  return {{{{"FFMA", "", constant(code, "BODY") / chains * chains}}, loop_control}};
}

Loops register_tile(const Specialisation& code) {
  const auto tile = constant(code, "TILE_M") * constant(code, "TILE_P");
  return {{{{"FFMA", "", constant(code, "BODY") / tile * tile}}, loop_control}};
}

Loops barriers(const Specialisation& code) {
  return {{{{"BAR", "", constant(code, "BODY")}}, loop_control}};
}

Loops fences(const Specialisation& code) {
  const auto body = constant(code, "BODY"), stores = constant(code, "STORES");
  return {{{{"MEMBAR", "", body}, {"STG", "", stores * body}}, any_number}};
}
Loops cluster_barriers(const Specialisation& code) {
  const auto body = constant(code, "BODY");
  return {{{{"UCGABAR_ARV", "", body}, {"UCGABAR_WAIT", "", body}}, any_number}};
}
Loops cluster_read(const Specialisation&) {
  return {{{{"LD", "128", 32}, {"LOP3", "", 64}}, loop_control}};
}

// Sixteen loads a round and nothing between them: address arithmetic in the chain would add to the latency.
Loops chase(const Specialisation&) {
  return {{{{"LDG", "64", 16}}, loop_control, 3}};  // warm-up, short and long window
}
Loops plain_chase(const Specialisation&) {
  return {{{{"LDG", "64", 16}}, loop_control}};
}
Loops shared_chase(const Specialisation&) {
  return {{{{"LDS", "", 16}}, loop_control, 2}};
}

// 32 loads, and two three-input XORs each that keep their words alive.
Loops shared_read(const Specialisation&) {
  return {{{{"LDS", "128", 32}, {"LOP3", "", 64}}, loop_control}};
}

// How the width of an access of so many bytes a lane is listed: 4 bytes have no modifier.
std::string_view width_modifier(std::int64_t bytes) {
  return bytes == 16 ? "128" : bytes == 8 ? "64" : "";
}

// An access of that width: 32 of them, and of narrow ones none that is wider.
std::vector<OpcodeCount> accesses(std::string_view opcode, std::int64_t bytes, std::int64_t count) {
  std::vector<OpcodeCount> counts{{opcode, width_modifier(bytes), count}};
  if (bytes == 4) counts.insert(counts.end(), {{opcode, "64", 0}, {opcode, "128", 0}});
  return counts;
}

// Loads, stores that wait for them (never done when reading), and the address of the next batch.
constexpr int addresses = 40;

Loops stream(const Specialisation& code) {
  const auto width = constant_or(code, "WIDTH", 16), accesses = constant(code, "IN_FLIGHT");
  const std::string_view modifier = width_modifier(width);
  const auto mode = constant(code, "MODE");
  const std::int64_t loads = mode == 1 ? 0 : accesses;
  const std::int64_t stores = mode == 2 ? accesses * constant_or(code, "WRITE_COPIES", 1) : accesses;
  return {{{{"LDG", modifier, loads}, {"STG", modifier, stores}}, addresses}};
}

Loops stream_async(const Specialisation& code) {
  const auto accesses = constant(code, "IN_FLIGHT");
  if (constant(code, "MECHANISM") == 1) return {{{{"LDGSTS", "", accesses}}, addresses}};
  return {{{{"UBLKCP", "", 2 * accesses}}, any_number, 1, true}};  // before the loop, and in it
}

Loops atomic_rate(const Specialisation& code) {
  const bool returning = constant(code, "RETURNING") != 0;
  return {{{{returning ? "ATOMG|ATOM" : "REDG|RED", "", 8}}, addresses}};
}
Loops atomic_chain(const Specialisation&) {
  return {{{{"ATOMG|ATOM", "", 16}}, loop_control + 16, 3}};
}
// The address of a piece takes divisions where its size is no power of two.
Loops partial_writes(const Specialisation&) {
  return {{{{"STG", "", 4}}, any_number}};
}

Loops cluster_chase(const Specialisation&) {
  return {{{{"LD", "", 16}}, loop_control, 2}};
}
// Eight loads, each followed by a reading of the clock, and the readings' way to shared memory.
Loops timed_loads(const Specialisation&) {
  return {{{{"LDG", "64", 8}}, 32}};
}

// The first operand's XORs keep the loaded words alive.
Loops l1_load(const Specialisation& code) {
  return {{accesses("LDG", constant(code, "WIDTH"), 32), 80}};
}
Loops global_store(const Specialisation& code) {
  return {{accesses("STG", constant(code, "WIDTH"), 32), loop_control}};
}
Loops async_copy(const Specialisation& code) {
  return {{accesses("LDGSTS", constant(code, "WIDTH"), 32), addresses}};
}
Loops bulk_copy(const Specialisation& code) {
  return {{{{"UBLKCP", "", constant(code, "COPIES")}}, any_number, 1, true}};
}

Loops fma_operands(const Specialisation& code) {
  return {{{{"FFMA", "", constant(code, "BODY") / 16 * 16}}, loop_control}};
}

// OTHERS of each eight instructions are not FMAs; of kind 2, logic operations and shifts in turn.
Loops issue_mix(const Specialisation& code) {
  const auto eights = constant(code, "BODY") / 8, others = constant(code, "OTHERS");
  std::vector<OpcodeCount> counts{{"FFMA", "", eights * (8 - others)}};
  if (others > 0 && constant(code, "KIND") == 1) counts.push_back({"IMAD", "", eights * others, 2});
  if (others > 0 && constant(code, "KIND") == 2) {
    counts.push_back({"LOP3", "", (eights + 1) / 2 * others, 2});
    counts.push_back({"SHF", "", eights / 2 * others, 2});
  }
  return {{counts, loop_control}};
}

Loops n_fma(const Specialisation& code) {
  const auto fmas = constant(code, "FMAS") / 8 * 8;
  Loops loops{{{{"LDG", "128", constant(code, "LOADS")}}, any_number, 1, true}};
  if (fmas > 0) loops.push_back({{{"FFMA", "", fmas}}, loop_control});
  return loops;
}

Loops outer_product(const Specialisation& code) {
  const auto m = constant(code, "TILE_M"), n = constant(code, "TILE_N"), steps = constant(code, "STEPS");
  const std::int64_t loads = constant(code, "LOADS") != 0 ? (m + n) / 4 * steps : 0;
  return {{{{"FFMA", "", m * n * steps}, {"LDS", "128", loads}}, addresses}};
}

Loops shared_load(const Specialisation& code) {
  return {{accesses("LDS", constant(code, "WIDTH"), 32), 80}};
}
Loops shared_store(const Specialisation& code) {
  return {{accesses("STS", constant(code, "WIDTH"), 32), loop_control}};
}
// The loads, what adds their words and the cycles up, a store, a barrier.
Loops issue_burst(const Specialisation& code) {
  return {{{{"LDS", "", constant(code, "LOADS")}, {"CS2R", "", 2}}, 2 * addresses}};
}
Loops load_mix(const Specialisation& code) {
  const auto spacing = constant(code, "SPACING"), ffmas = constant(code, "FMAS");
  auto counts = accesses("LDS", constant(code, "WIDTH"), spacing > 0 ? ffmas / spacing : 0);
  counts.push_back({"FFMA", "", ffmas});
  return {{counts, loop_control}};
}
Loops shared_latency(const Specialisation& code) {
  return {{accesses("LDS", constant(code, "WIDTH"), constant(code, "BODY")), loop_control}};
}

// The sweep's wide loads, the wait for all blocks, and of each sample the page's first line and the line that
// is timed, between two readings of the clock.
Loops l2_residency(const Specialisation&) {
  return {{{{"LDG", "128", 4}, {"LDG", "64", 1}, {"LDG", "", 7}}, any_number, 1, true}};
}
// The arrival, and the test of the wait's own loop: instructions of their own from sm_90 on.
Loops mbarrier_rounds(const Specialisation&) {
  return {{{{"SYNCS|ATOMS", "ARRIVE", 1}, {"CS2R", "", 2}}, any_number, 1, true}};
}
Loops dependent_loads(const Specialisation& code) {
  return {{{{"LDG", "64", constant(code, "LOADS")}}, any_number, 1, true}};
}
Loops first_pass(const Specialisation& code) {
  return {{{{"FFMA", "", constant(code, "BODY") / 16 * 16}, {"LDG", "", constant(code, "LOAD")}},
           any_number,
           1,
           true}};
}
Loops store_pieces(const Specialisation& code) {
  return {{accesses("STG", constant(code, "WIDTH"), constant(code, "STORES")), loop_control}};
}

constexpr std::string_view prepares = "prepares memory, is not timed";
constexpr std::string_view launch_only = "the launch is timed, the kernel does nothing";

}  // namespace

std::span<const ExpectedCode> expected_code() {
  // clang-format off
  static const std::array list{
      ExpectedCode{"probes/atomics.cu", "atomic_chain", atomic_chain, ""},
      ExpectedCode{"probes/atomics.cu", "atomic_rate", atomic_rate, ""},
      ExpectedCode{"probes/barrier.cu", "barriers", barriers, ""},
      ExpectedCode{"probes/barrier.cu", "fences", fences, ""},
      ExpectedCode{"probes/cluster.cu", "cluster_barriers", cluster_barriers, ""},
      ExpectedCode{"probes/cluster.cu", "cluster_read", cluster_read, ""},
      ExpectedCode{"probes/cluster.cu", "cluster_chase", cluster_chase, ""},
      ExpectedCode{"probes/copies.cu", "async_copy", async_copy, ""},
      ExpectedCode{"probes/copies.cu", "bulk_copy", bulk_copy, ""},
      ExpectedCode{"probes/copies.cu", "global_store", global_store, ""},
      ExpectedCode{"probes/copies.cu", "l1_load", l1_load, ""},
      ExpectedCode{"probes/fill.cu", "fill", nullptr, prepares},
      ExpectedCode{"probes/first_pass.cu", "first_pass", first_pass, ""},
      ExpectedCode{"probes/fma.cu", "fma_chains", fma_chains, ""},
      ExpectedCode{"probes/fma_operands.cu", "fma_operands", fma_operands, ""},
      ExpectedCode{"probes/issue.cu", "issue_mix", issue_mix, ""},
      ExpectedCode{"probes/issue_burst.cu", "issue_burst", issue_burst, ""},
      ExpectedCode{"probes/l2_capacity.cu", "l2_residency", l2_residency, ""},
      ExpectedCode{"probes/latency.cu", "chase", chase, ""},
      ExpectedCode{"probes/latency.cu", "ring_build", nullptr, prepares},
      ExpectedCode{"probes/latency.cu", "ring_walk", nullptr, prepares},
      ExpectedCode{"probes/latency.cu", "timed_chase", timed_loads, ""},
      ExpectedCode{"probes/launch.cu", "dependent_loads", dependent_loads, ""},
      ExpectedCode{"probes/launch.cu", "depends", nullptr, launch_only},
      ExpectedCode{"probes/launch.cu", "nothing", nullptr, launch_only},
      ExpectedCode{"probes/launch.cu", "reads_parameters", nullptr, launch_only},
      ExpectedCode{"probes/launch.cu", "stays", nullptr, "waits for so many cycles: blocks are counted"},
      ExpectedCode{"probes/launch.cu", "stores", nullptr, "one store a thread: the launch is timed"},
      ExpectedCode{"probes/load_mix.cu", "load_mix", load_mix, ""},
      ExpectedCode{"probes/loaded_latency.cu", "loaded_latency", timed_loads, ""},
      ExpectedCode{"probes/mbarrier.cu", "mbarrier_rounds", mbarrier_rounds, ""},
      ExpectedCode{"probes/n_fma.cu", "n_fma", n_fma, ""},
      ExpectedCode{"probes/outer_product.cu", "outer_product", outer_product, ""},
      ExpectedCode{"probes/partial_writes.cu", "partial_writes", partial_writes, ""},
      ExpectedCode{"probes/plain_chase.cu", "plain_chase", plain_chase, ""},
      ExpectedCode{"probes/plain_chase.cu", "plain_ring", nullptr, prepares},
      ExpectedCode{"probes/register_tile.cu", "register_tile", register_tile, ""},
      ExpectedCode{"probes/residency.cu", "residency", nullptr, "blocks are counted, nothing is timed"},
      ExpectedCode{"probes/shared.cu", "shared_chase", shared_chase, ""},
      ExpectedCode{"probes/shared.cu", "shared_read", shared_read, ""},
      ExpectedCode{"probes/shared_access.cu", "shared_latency", shared_latency, ""},
      ExpectedCode{"probes/shared_access.cu", "shared_load", shared_load, ""},
      ExpectedCode{"probes/shared_access.cu", "shared_store", shared_store, ""},
      ExpectedCode{"probes/store_pieces.cu", "store_pieces", store_pieces, ""},
      ExpectedCode{"probes/stream.cu", "stream", stream, ""},
      ExpectedCode{"probes/stream_async.cu", "stream_async", stream_async, ""},
      ExpectedCode{"probes/wrong.cu", "fma_not_unrolled", nullptr, "wrong on purpose, for the self-test"},
      ExpectedCode{"probes/wrong.cu", "fma_without_result", nullptr, "wrong on purpose, for the self-test"},
  };
  // clang-format on
  return list;
}

const ExpectedCode* find_expected_code(std::string_view source, std::string_view entry) {
  for (const auto& expected : expected_code()) {
    if (expected.source == source && expected.entry == entry) return &expected;
  }
  return nullptr;
}

std::int64_t constant(const Specialisation& code, std::string_view name) {
  for (const auto& define : code.defines) {
    if (define.name == name) return define.value;
  }
  throw std::out_of_range(fmt::format("{}:{} has no constant {}", code.source, code.entry, name));
}

namespace {

int count_of(const CodeLoop& loop, const OpcodeCount& wanted) {
  int total = 0;
  for (std::string_view names = wanted.opcode; !names.empty();) {
    const auto bar = std::min(names.find('|'), names.size());
    total += loop.count(names.substr(0, bar), wanted.modifier);
    names.remove_prefix(std::min(bar + 1, names.size()));
  }
  return total;
}

bool holds(const CodeLoop& loop, const ExpectedLoop& wanted) {
  std::int64_t counted = 0;
  for (const auto& opcode : wanted.counts) {
    const int found = count_of(loop, opcode);
    if (found < opcode.count || found > opcode.count + opcode.slack) return false;
    counted += found;
  }
  return loop.instructions - counted <= wanted.others;
}

std::string difference(const Specialisation& code, const ExpectedLoop& wanted,
                       const std::vector<CodeLoop>& places) {
  std::string text = fmt::format("{}:", code.entry);
  for (const auto& opcode : wanted.counts) {
    const auto name = opcode.modifier.empty() ? std::string(opcode.opcode)
                                              : fmt::format("{}.{}", opcode.opcode, opcode.modifier);
    std::string found;
    for (const auto& place : places) {
      if (const int count = count_of(place, opcode); count > 0)
        found += fmt::format("{}{}", found.empty() ? "" : ", ", count);
    }
    const std::string where =
        wanted.anywhere ? "the kernel"
                        : fmt::format("{} inner loop{}", wanted.copies, wanted.copies == 1 ? "" : "s");
    text += fmt::format(" expected {} {} in {}, the machine code has {};", opcode.count, name, where,
                        found.empty() ? "none" : found);
  }
  if (wanted.others < any_number) text += fmt::format(" at most {} other instructions", wanted.others);
  return text;
}

}  // namespace

std::string code_problem(const Specialisation& code, const ExpectedCode& expected, std::string_view listing) {
  if (!expected.loops) return "";
  const auto loops = innermost_loops(listing, code.entry);
  for (const ExpectedLoop& wanted : expected.loops(code)) {
    const auto places = wanted.anywhere ? std::vector{whole_kernel(listing, code.entry)} : loops;
    if (std::ranges::count_if(places, [&](const CodeLoop& place) { return holds(place, wanted); }) <
        wanted.copies)
      return difference(code, wanted, places);
  }
  return "";
}

}  // namespace tilecast
