#pragma once
// What a config needs of an architecture, in one wording for every family.

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "kernels/family.hpp"

namespace tilecast {

// Asynchronous copies (cp.async) and thread-block clusters, by the PTX ISA's target notes.
constexpr int async_copy_capability = 8, cluster_capability = 9;

// nullopt where the device's compute capability is `major`.0 or later. `what` needs it; `instead` says which
// configs remain, or that none does.
inline std::optional<Unsupported> needs_capability(const DeviceProfile& device, int major,
                                                   std::string_view what, std::string_view instead) {
  if (device.compute_capability_major >= major) return std::nullopt;
  return Unsupported{fmt::format("{}: needs compute capability {}.0, not {}.{}; {}", what, major,
                                 device.compute_capability_major, device.compute_capability_minor, instead)};
}

}  // namespace tilecast
