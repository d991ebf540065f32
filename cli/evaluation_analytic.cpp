// evaluate() bound to the families and the model that the program ships.

#include "cli/evaluation.hpp"
#include "model/analytic/analytic.hpp"
#include "validation/calibration.hpp"

namespace tilecast {

Evaluation evaluate_analytic(const DeviceProfile& device, std::span<const MeasuredRow> rows,
                             std::vector<Suite> suites) {
  const auto calibration = recorded_calibration(device.gpu_name);
  auto evaluation = evaluate(device, rows,
                             {.families = kernel_families(),
                              .predict =
                                  [&](const KernelDescription& kernel, const DeviceProfile& on) {
                                    auto p = analytic::predict(kernel, on);
                                    calibrate_interval(p, "analytic", kernel.family, calibration);
                                    return p;
                                  },
                              .suites = std::move(suites)});
  evaluation.models = evaluate_models(device, rows);
  return evaluation;
}

}  // namespace tilecast
