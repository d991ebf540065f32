#include <algorithm>
#include <cmath>

#include "model/analytic/bounds.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast::analytic {

namespace {

using stand_in::code_line_instructions;

// Lines [from, to) of code that are in the set.
int lines_in_set(int from, int to, int set) {
  constexpr int sets = stand_in::code_line_sets;
  const auto before = [&](int line) { return (line + sets - 1 - set) / sets; };
  return before(to) - before(from);
}

}  // namespace

// A16. Lines of code that the instruction cache has evicted by the time a replay returns to them. The code is
// one piece, so its lines map to the sets in turn, those that no warp goes through included. Replacement is
// least recently used, so a set with more lines than ways loses all of them.
double lines_first(const KernelDescription& kernel) {
  const auto whole = [](double instructions) {
    return static_cast<int>(std::ceil(instructions / code_line_instructions));
  };
  const int all = whole(kernel.code_instructions + kernel.skipped_instructions);
  if (all <= stand_in::code_line_sets * stand_in::code_line_ways) return 0;  // all fit
  const int from = whole(kernel.before_skipped);
  const int to = std::max(from, whole(kernel.before_skipped + kernel.skipped_instructions));
  double lost = 0;
  for (int set = 0; set < stand_in::code_line_sets; ++set) {
    const int lines = lines_in_set(0, all, set) - lines_in_set(from, to, set);
    if (lines > stand_in::code_line_ways) lost += lines;
  }
  return lost;
}

// A16. A block that takes a finished block's place runs through the code from its start. On an SM with
// several blocks the others are in the loops and keep the loops' lines cached; a block alone loses these,
// too.
double lines_again(const KernelDescription& kernel, double first, double blocks_per_sm) {
  if (kernel.code_instructions <= 0) return 0;
  const double apart = 1 - kernel.loop_instructions / kernel.code_instructions;
  return first * (blocks_per_sm > 1 ? apart : 1);
}

// A16. The next line is fetched while the warps issue the current one; only the excess is exposed.
Seconds fetch_time(double lines, double cycles_an_instruction, const Machine& machine, double longer) {
  const Cycles exposed = longer * machine.fetch.value_or(Cycles{}) - Cycles{cycles_an_instruction};
  return lines * code_line_instructions * std::max(Cycles{}, exposed) / machine.clock;
}

}  // namespace tilecast::analytic
