#pragma once
// What the paper's rules choose for a layer, as configs of our kernels.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/device/device_profile.hpp"
#include "model/paper/partitions.hpp"
#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast {

// nullopt where the rules have no answer, speak of another family, or the profile lacks a constant of theirs.
std::optional<paper::Partition> paper_partition(std::string_view family, const ConvShape& shape,
                                                const DeviceProfile& device);

// Whether the config has every value that the rules fix. They leave some axes of a kernel open; their choice
// between prefetching and the volume method is the single-channel family's loads_in_flight: none, or some.
bool is_paper_choice(const paper::Partition& partition, const Config& config);

}  // namespace tilecast
