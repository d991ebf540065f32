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

// Sixteen loads a round and nothing between them: address arithmetic in the chain would add to the latency.
Loops chase(const Specialisation&) {
  return {{{{"LDG", "64", 16}}, loop_control, 3}};  // warm-up, short and long window
}
Loops line_latency(const Specialisation&) {
  return {{{{"LDG", "64", 16}}, loop_control, 2}};
}
Loops shared_chase(const Specialisation&) {
  return {{{{"LDS", "", 16}}, loop_control, 2}};
}

// 32 loads, and two three-input XORs each that keep their words alive.
Loops shared_read(const Specialisation&) {
  return {{{{"LDS", "128", 32}, {"LOP3", "", 64}}, loop_control}};
}

// Loads, stores that wait for them (never done when reading), and the address of the next batch.
Loops stream(const Specialisation& code) {
  constexpr int addresses = 40;
  const auto accesses = constant(code, "IN_FLIGHT");
  const std::int64_t loads = constant(code, "MODE") == 1 ? 0 : accesses;
  return {{{{"LDG", "128", loads}, {"STG", "128", accesses}}, addresses}};
}

constexpr std::string_view prepares = "prepares memory, is not timed";
constexpr std::string_view launch_only = "the launch is timed, the kernel does nothing";

}  // namespace

std::span<const ExpectedCode> expected_code() {
  // clang-format off
  static const std::array list{
      ExpectedCode{"probes/barrier.cu", "barriers", barriers, ""},
      ExpectedCode{"probes/fill.cu", "fill", nullptr, prepares},
      ExpectedCode{"probes/fma.cu", "fma_chains", fma_chains, ""},
      ExpectedCode{"probes/latency.cu", "chase", chase, ""},
      ExpectedCode{"probes/latency.cu", "line_latency", line_latency, ""},
      ExpectedCode{"probes/latency.cu", "ring_build", nullptr, prepares},
      ExpectedCode{"probes/latency.cu", "ring_of_self", nullptr, prepares},
      ExpectedCode{"probes/latency.cu", "ring_walk", nullptr, prepares},
      ExpectedCode{"probes/launch.cu", "nothing", nullptr, launch_only},
      ExpectedCode{"probes/launch.cu", "reads_parameters", nullptr, launch_only},
      ExpectedCode{"probes/launch.cu", "stores", nullptr, "one store a thread: the launch is timed"},
      ExpectedCode{"probes/register_tile.cu", "register_tile", register_tile, ""},
      ExpectedCode{"probes/residency.cu", "residency", nullptr, "blocks are counted, nothing is timed"},
      ExpectedCode{"probes/shared.cu", "shared_chase", shared_chase, ""},
      ExpectedCode{"probes/shared.cu", "shared_read", shared_read, ""},
      ExpectedCode{"probes/stream.cu", "stream", stream, ""},
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

std::string code_problem(const Specialisation& code, const ExpectedCode& expected, std::string_view listing) {
  if (!expected.loops) return "";
  const auto loops = innermost_loops(listing, code.entry);
  for (const ExpectedLoop& wanted : expected.loops(code)) {
    const auto holds = [&](const CodeLoop& loop) {
      std::int64_t counted = 0;
      for (const auto& opcode : wanted.counts) {
        if (loop.count(opcode.opcode, opcode.modifier) != opcode.count) return false;
        counted += opcode.count;
      }
      return loop.instructions - counted <= wanted.others;
    };
    const auto found = std::ranges::count_if(loops, holds);
    if (found >= wanted.copies) continue;
    std::string text = fmt::format("{}:", code.entry);
    for (const auto& opcode : wanted.counts) {
      const auto name = opcode.modifier.empty() ? std::string(opcode.opcode)
                                                : fmt::format("{}.{}", opcode.opcode, opcode.modifier);
      std::string found_counts;
      for (const auto& loop : loops) {
        const int count = loop.count(opcode.opcode, opcode.modifier);
        if (count > 0) found_counts += fmt::format("{}{}", found_counts.empty() ? "" : ", ", count);
      }
      text += fmt::format(" expected {} {} in {} inner loop{}, the machine code has {};", opcode.count, name,
                          wanted.copies, wanted.copies == 1 ? "" : "s",
                          found_counts.empty() ? "none" : found_counts);
    }
    return text + fmt::format(" at most {} other instructions", wanted.others);
  }
  return "";
}

}  // namespace tilecast
