#include <algorithm>
#include <cmath>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

namespace {

// The SM's own instruction cache, as S7 has it (H200: straight lines of FFMA in replays of a graph).
constexpr double line_instructions = 8, line_sets = 64, line_ways = 4;

// Lines that are gone when replays come back to them: of code in one piece, whose lines fall to the sets in
// turn, a set loses all of its lines when it has more than it can hold, as the least recently used goes
// first.
double lost_lines(double instructions) {
  const double lines = std::ceil(instructions / line_instructions);
  const double each = std::floor(lines / line_sets), more = lines - each * line_sets;
  if (each > line_ways) return lines;
  return each == line_ways ? more * (each + 1) : 0;
}

// Lines that the SM's own cache does not have, beyond the cycles in which the block's warps issue what came
// before.
Seconds waited_for(double lines, const KernelDescription& kernel, const Machine& machine) {
  const double warps = warps_on_busiest_scheduler(static_cast<double>(kernel.launch.threads) / 32, machine);
  const Cycles exposed = machine.fetch.value_or(Cycles{}) - Cycles{std::max(1.0, warps)};
  return lines * line_instructions * std::max(Cycles{}, exposed) / machine.clock;
}

}  // namespace

// A16. Code that fits is there from the replay before. Other code is waited for, as long as a line takes that
// the SM's own cache does not have, beyond the cycles in which the block's warps issue what came before.
Seconds fetch_time(const KernelDescription& kernel, const Machine& machine) {
  return waited_for(lost_lines(kernel.code_instructions), kernel, machine);
}

// A16. Blocks that begin one after the other go through the code again: of an SM's several blocks others are
// in the loops, whose lines stay; a block alone loses these too.
Seconds fetch_time_again(const KernelDescription& kernel, double blocks_per_sm, const Machine& machine) {
  if (kernel.code_instructions <= 0) return Seconds{};
  const double apart = 1 - kernel.loop_instructions / kernel.code_instructions;
  return waited_for(lost_lines(kernel.code_instructions) * (blocks_per_sm > 1 ? apart : 1), kernel, machine);
}

}  // namespace tilecast::analytic
