#include <algorithm>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// A16. The first warp through new code waits for it: what the profile's loop, too long for the SM's own
// instruction cache, takes for an instruction beyond the cycle of its issue.
Seconds fetch_time(const KernelDescription& kernel, const Machine& machine) {
  return kernel.code_instructions * machine.fetch.value_or(Cycles{}) / machine.clock;
}

}  // namespace tilecast::analytic
