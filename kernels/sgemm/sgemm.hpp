#pragma once
// Matrix product in float32 on the FMA units: convolutions of 1 x 1 with stride 1 and without padding, whose
// filters are A and whose maps are B, an image at a time. Config axes: kernels/gemm_tile/tile.hpp.

#include <optional>
#include <vector>

#include "kernels/family.hpp"

namespace tilecast::sgemm {

std::optional<Unsupported> supports(const ConvShape& shape);

std::vector<Config> configs(const ConvShape& shape, const DeviceProfile& device);

std::optional<Unsupported> feasible(const ConvShape& shape, const Config& config,
                                    const DeviceProfile& device);

LaunchPlan plan(const ConvShape& shape, const Config& config, const DeviceProfile& device);

KernelDescription describe(const ConvShape& shape, const Config& config, const DeviceProfile& device,
                           const CodeRecord* code);

}  // namespace tilecast::sgemm
