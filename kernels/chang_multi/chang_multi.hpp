#pragma once
// Multi-channel convolution by the stride-fixed block method (Chang, Onishi, Maruyama, arXiv 2212.00404,
// section 3.2), stride 1, no padding, no dilation. Config axes: S_bytes (bytes of each filter fetched a
// round), M_tile (M', filters of a block) and Wx_tile (W'x, pixels of a block). How threads cover a tile
// follows from them: arrangement.hpp.

#include <optional>
#include <vector>

#include "kernels/family.hpp"

namespace tilecast::chang_multi {

std::optional<Unsupported> supports(const ConvShape& shape);

// S_bytes (slowest), M_tile, Wx_tile (fastest), each ascending; tiles up to the first that covers the layer.
std::vector<Config> configs(const ConvShape& shape, const DeviceProfile& device);

std::optional<Unsupported> feasible(const ConvShape& shape, const Config& config,
                                    const DeviceProfile& device);

LaunchPlan plan(const ConvShape& shape, const Config& config, const DeviceProfile& device);

KernelDescription describe(const ConvShape& shape, const Config& config, const DeviceProfile& device,
                           const CodeRecord* code);

// Registers that the launch bounds leave a thread, of an SM's 65,536: with too few a code spills.
std::vector<Define> code_traits(const Specialisation& code);

}  // namespace tilecast::chang_multi
