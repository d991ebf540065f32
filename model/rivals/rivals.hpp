#pragma once
// Models of others, to be scored on the same rows as ours (EQUATIONS.md R*): each after its paper, from the
// same kernel description and device profile, with nothing of ours added. The paper's rules (model/paper) say
// no time and are scored by their choice.

#include <span>
#include <string_view>

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"
#include "model/workload/prediction.hpp"

namespace tilecast::rivals {

// Each throws UnavailableError when the profile lacks what it reads, InputError when no block fits on an SM.
// Their interval is their time: none of them states an uncertainty.
Prediction roofline(const KernelDescription& kernel, const DeviceProfile& device);  // R1
Prediction hong_kim(const KernelDescription& kernel, const DeviceProfile& device);  // R2
Prediction triton(const KernelDescription& kernel, const DeviceProfile& device);    // R3
Prediction origami(const KernelDescription& kernel, const DeviceProfile& device);   // R4

struct Rival {
  std::string_view name;
  std::string_view summary;
  Prediction (*predict)(const KernelDescription&, const DeviceProfile&);
};

// THE list.
std::span<const Rival> rivals();

}  // namespace tilecast::rivals
