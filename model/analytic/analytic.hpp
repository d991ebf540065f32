#pragma once
// The mechanistic closed form (EQUATIONS.md, A*): time of one kernel from its description and the device
// profile alone. No constant here is fitted to a kernel's measured time.

#include <string>
#include <vector>

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"
#include "model/workload/prediction.hpp"

namespace tilecast::analytic {

struct Options {
  std::vector<std::string> without;  // bounds switched off: an ablation. Unknown names throw UsageError.
};

// Names that --without accepts.
std::vector<std::string> bound_names();

Prediction predict(const KernelDescription& kernel, const DeviceProfile& device, const Options& options = {});

}  // namespace tilecast::analytic
