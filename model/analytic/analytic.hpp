#pragma once
// The mechanistic closed form (EQUATIONS.md, A*): time of one kernel from its description and the device
// profile alone. No constant here is fitted to a kernel's measured time.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"
#include "model/workload/prediction.hpp"

namespace tilecast::analytic {

// What L2 holds when the kernel starts. Warm: what the previous run left, as kernels are timed in graph
// replays.
enum class Caches { warm, cold };

struct Options {
  std::vector<std::string> without;  // ablation: bounds switched off. Unknown names throw InputError.
  Caches caches = Caches::warm;
  // Bounds and the factors by which to multiply their times (residual.hpp). Unknown names throw InputError.
  // `overlap` has no time of its own, so that its factor changes nothing.
  std::vector<std::pair<std::string, double>> factors;
};

// Names that --without accepts.
std::vector<std::string> bound_names();

// Bounds whose parameters the profile lacks; predictions leave them out ("not known").
std::vector<std::string> unknown_bounds(const DeviceProfile& device);

// Why not even one block of the kernel fits on an SM; nullopt when it does.
std::optional<std::string> misfit(const KernelDescription& kernel, const DeviceProfile& device);

// Throws InputError when not even one block fits on an SM, UnavailableError when the profile has no clock,
// InputError for an unknown name in `without`.
Prediction predict(const KernelDescription& kernel, const DeviceProfile& device, const Options& options = {});

}  // namespace tilecast::analytic
