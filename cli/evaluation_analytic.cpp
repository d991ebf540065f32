// evaluate() bound to the families and the model that the program ships.

#include "cli/evaluation.hpp"
#include "model/analytic/analytic.hpp"

namespace tilecast {

Evaluation evaluate_analytic(const DeviceProfile& device, std::span<const MeasuredRow> rows,
                             std::vector<Suite> suites) {
  return evaluate(device, rows,
                  {.families = kernel_families(),
                   .predict = [](const KernelDescription& kernel,
                                 const DeviceProfile& on) { return analytic::predict(kernel, on); },
                   .suites = std::move(suites)});
}

}  // namespace tilecast
