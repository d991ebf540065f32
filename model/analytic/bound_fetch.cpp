#include <algorithm>
#include <cmath>

#include "model/analytic/bounds.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast::analytic {

namespace {

using stand_in::code_line_instructions;

// Lines of code that the instruction cache has evicted by the time a replay returns to them. The code is one
// piece, so its lines map to the sets in turn. Replacement is least recently used, so a set with more lines
// than ways loses all of them.
double lost_lines(double instructions) {
  constexpr double sets = stand_in::code_line_sets, ways = stand_in::code_line_ways;
  const double lines = std::ceil(instructions / code_line_instructions);
  const double each = std::floor(lines / sets), more = lines - each * sets;
  if (each > ways) return lines;
  return each == ways ? more * (each + 1) : 0;
}

}  // namespace

// A16. Code that fits into the cache is still there from the previous replay.
double lines_first(const KernelDescription& kernel) {
  return lost_lines(kernel.code_instructions);
}

// A16. A block that takes a finished block's place runs through the code from its start. On an SM with
// several blocks the others are in the loops and keep the loops' lines cached; a block alone loses these,
// too.
double lines_again(const KernelDescription& kernel, double blocks_per_sm) {
  if (kernel.code_instructions <= 0) return 0;
  const double apart = 1 - kernel.loop_instructions / kernel.code_instructions;
  return lost_lines(kernel.code_instructions) * (blocks_per_sm > 1 ? apart : 1);
}

// A16. The next line is fetched while the warps issue the current one; only the excess is exposed.
Seconds fetch_time(double lines, double cycles_an_instruction, const Machine& machine) {
  const Cycles exposed = machine.fetch.value_or(Cycles{}) - Cycles{cycles_an_instruction};
  return lines * code_line_instructions * std::max(Cycles{}, exposed) / machine.clock;
}

}  // namespace tilecast::analytic
