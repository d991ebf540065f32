#pragma once
// Convolution as a matrix product whose second operand is gathered from the map as it is needed: float32 on
// the FMA units, NCHW, any stride, padding and dilation, filters of up to 15 x 15. Rows are filters, columns
// the output pixels of all images. Config axes: kernels/gemm_tile/tile.hpp.

#include <optional>
#include <vector>

#include "kernels/family.hpp"

namespace tilecast::implicit_gemm {

std::optional<Unsupported> supports(const ConvShape& shape);

std::vector<Config> configs(const ConvShape& shape, const DeviceProfile& device);

std::optional<Unsupported> feasible(const ConvShape& shape, const Config& config,
                                    const DeviceProfile& device);

LaunchPlan plan(const ConvShape& shape, const Config& config, const DeviceProfile& device);

KernelDescription describe(const ConvShape& shape, const Config& config, const DeviceProfile& device,
                           const CodeRecord* code);

}  // namespace tilecast::implicit_gemm
