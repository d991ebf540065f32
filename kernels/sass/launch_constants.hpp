#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/launch_plan.hpp"
#include "kernels/sass/micro_op.hpp"
#include "kernels/sass/program.hpp"

namespace tilecast::sass {

// Constant bank 0 of a launch: block and grid sizes, stack pointer, three tensors at made-up addresses
// (aligned to 2 MiB, far apart), then the plan's parameter struct (kernels/launch_plan.hpp). The rest is
// unknown.
ConstantBanks launch_constants(const Program& program, const LaunchPlan& plan);

// The tensor (0 input, 1 filters, 2 output) that holds the 32-byte sector of this number.
std::size_t tensor_of_sector(std::uint64_t sector);

}  // namespace tilecast::sass
