#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/launch_plan.hpp"
#include "kernels/sass/micro_op.hpp"
#include "kernels/sass/program.hpp"

namespace tilecast::sass {

// Constant bank 0 of a launch: block and grid sizes, stack pointer, three tensors at made-up addresses (2 MiB
// aligned, far apart), and the plan's parameter struct after them (kernels/launch_plan.hpp). All else is
// unknown.
ConstantBanks launch_constants(const Program& program, const LaunchPlan& plan);

// Which of the three a sector of 32 bytes, by number, lies in: input, filters, output.
std::size_t tensor_of_sector(std::uint64_t sector);

}  // namespace tilecast::sass
