#pragma once

#include "kernels/launch_plan.hpp"
#include "kernels/sass/micro_op.hpp"
#include "kernels/sass/program.hpp"

namespace tilecast::sass {

// Constant bank 0 of a launch: block and grid sizes, stack pointer, three tensors at made-up addresses (2 MiB
// aligned, far apart), and the plan's parameter struct after them (kernels/launch_plan.hpp). All else is
// unknown.
ConstantBanks launch_constants(const Program& program, const LaunchPlan& plan);

}  // namespace tilecast::sass
