// S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore
// architectures", CACM 52(4), 2009.

#include <algorithm>

#include "model/rivals/inputs.hpp"
#include "model/rivals/rivals.hpp"

namespace tilecast::rivals {

// R1
Prediction roofline(const KernelDescription& kernel, const DeviceProfile& device) {
  const auto rates = rates_of(device);
  const auto moved = moved_by(kernel);
  const Seconds compute{kernel.fma_executed / rates.fmas_per_second()};
  const Seconds memory = (moved.read_unique + moved.written_unique) / rates.dram;
  return prediction_of(std::max(compute, memory), {{"compute", "R1", compute}, {"memory", "R1", memory}});
}

}  // namespace tilecast::rivals
