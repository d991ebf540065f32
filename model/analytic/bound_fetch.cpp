#include <algorithm>
#include <cmath>

#include "model/analytic/bounds.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast::analytic {

namespace {

using stand_in::code_line_instructions;

// Lines that are gone when replays come back to them: of code in one piece, whose lines fall to the sets in
// turn, a set loses all of its lines when it has more than it can hold, as the least recently used goes
// first.
double lost_lines(double instructions) {
  constexpr double sets = stand_in::code_line_sets, ways = stand_in::code_line_ways;
  const double lines = std::ceil(instructions / code_line_instructions);
  const double each = std::floor(lines / sets), more = lines - each * sets;
  if (each > ways) return lines;
  return each == ways ? more * (each + 1) : 0;
}

}  // namespace

// A16. Code that fits is there from the replay before.
double lines_first(const KernelDescription& kernel) {
  return lost_lines(kernel.code_instructions);
}

// A16. Blocks that begin one after the other go through the code again: of an SM's several blocks others are
// in the loops, whose lines stay; a block alone loses these too.
double lines_again(const KernelDescription& kernel, double blocks_per_sm) {
  if (kernel.code_instructions <= 0) return 0;
  const double apart = 1 - kernel.loop_instructions / kernel.code_instructions;
  return lost_lines(kernel.code_instructions) * (blocks_per_sm > 1 ? apart : 1);
}

// A16. The next line comes while the warps issue this one: what it takes longer is waited for.
Seconds fetch_time(double lines, double cycles_an_instruction, const Machine& machine) {
  const Cycles exposed = machine.fetch.value_or(Cycles{}) - Cycles{cycles_an_instruction};
  return lines * code_line_instructions * std::max(Cycles{}, exposed) / machine.clock;
}

}  // namespace tilecast::analytic
