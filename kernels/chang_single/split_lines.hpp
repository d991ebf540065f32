#pragma once
// Sectors and lines of the output that two units, two visits of a warp or two strips share (EQUATIONS.md A5).

#include <array>

#include "kernels/chang_single/division.hpp"
#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::chang_single {

// The share of the output's lines that reach L2 in parts, as two warps or visits store them.
double lines_apart(const ConvShape& shape, const Division& d);

// What of the output is stored in halves, and what is stored between two of them.
std::array<SplitSectors, 4> split_sectors(const ConvShape& shape, const Division& d,
                                          const LaunchShape& launch, const DeviceProfile& device);

}  // namespace tilecast::chang_single
