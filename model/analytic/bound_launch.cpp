#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// A8. The interval between empty kernels of a replayed graph: what is measured of a kernel that does nothing.
Seconds launch_time(const Machine& machine) {
  return machine.launch.value_or(Seconds{});
}

}  // namespace tilecast::analytic
