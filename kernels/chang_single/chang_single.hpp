#pragma once
// Single-channel convolution divided after Chang et al. (C = 1, stride 1, no padding or dilation, K in {1, 3,
// 5, 7}).
//
// A grid of grid_m x grid_y blocks (times images): a block has ceil(M / grid_m) filters and
// ceil(out_h / grid_y) output rows, cut into Q pieces and P strips.
//   method 1: filters over SMs, the map cut into P strips  (grid_m = SMs, grid_y = 1, Q = 1; eqs. 5, 6)
//   method 2: map rows over SMs, filters cut into Q pieces (grid_m = 1, grid_y = SMs, P = 1; eqs. 8, 9)
//   method 3: maps and filters divided over a grid of any shape
// loads_in_flight = 0 is the prefetch method (the next strip or piece arrives while this one is computed);
// 1, 2, 4 or 8 is the volume method: all that a step needs is requested at once, by loads of load_bytes with
// so many under way in each thread.
//
// Axes of a config: method, P, Q, grid_m, grid_y, threads, load_bytes, loads_in_flight.

#include "kernels/family.hpp"

namespace tilecast::chang_single {

std::optional<Unsupported> supports(const ConvShape& shape);

// Every P and Q up to 64 and a sample beyond, grid shapes of method 3, volume variants: see configs.cpp.
std::vector<Config> configs(const ConvShape& shape, const DeviceProfile& device);

std::optional<Unsupported> feasible(const ConvShape& shape, const Config& config,
                                    const DeviceProfile& device);

// Input, filters and output must start at 32-byte boundaries.
LaunchPlan plan(const ConvShape& shape, const Config& config, const DeviceProfile& device);

// What its loops depend on of sizes that it is specialised for (chang_single.cu).
std::vector<Define> code_traits(const Specialisation& code);

KernelDescription describe(const ConvShape& shape, const Config& config, const DeviceProfile& device,
                           const CodeRecord* code);

}  // namespace tilecast::chang_single
