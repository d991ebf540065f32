#pragma once
// What the machine code of each probe kernel must hold. The compiler removes work whose result nobody needs,
// hoists loads out of loops and unrolls what it likes; a rate divided by work that is not there is the oldest
// mistake of microbenchmarks. One line a kernel in the list of expected_code.cpp.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/launch_plan.hpp"

namespace tilecast {

struct OpcodeCount {
  std::string_view opcode;    // "FFMA", "LDG"; "REDG|RED" where architectures differ
  std::string_view modifier;  // "128": only those; empty: all
  std::int64_t count = 0;     // exactly, or
  std::int64_t slack = 0;     // so many more: the loop's own counter may be of the same opcode
};

// At least `copies` innermost loops hold these counts and at most `others` instructions besides.
struct ExpectedLoop {
  std::vector<OpcodeCount> counts;
  int others = 0;
  int copies = 1;
  bool anywhere = false;  // counted over the whole kernel instead: its work is spread over several loops
};

struct ExpectedCode {
  std::string_view source, entry;
  // For these constants of the specialisation; nullptr: the kernel has no loop whose work is divided by.
  std::vector<ExpectedLoop> (*loops)(const Specialisation& code);
  std::string_view why_none;  // where `loops` is nullptr
};

std::span<const ExpectedCode> expected_code();

// nullptr: not declared.
const ExpectedCode* find_expected_code(std::string_view source, std::string_view entry);

// Empty when `listing` (nvdisasm) holds what is declared; else what was expected and what is there instead.
std::string code_problem(const Specialisation& code, const ExpectedCode& expected, std::string_view listing);

// The value of a constant of the specialisation; throws std::out_of_range when it has none of that name.
std::int64_t constant(const Specialisation& code, std::string_view name);

}  // namespace tilecast
