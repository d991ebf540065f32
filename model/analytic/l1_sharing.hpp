#pragma once
// What an SM finds in L1 because another of its blocks has asked for it (EQUATIONS.md A21).

#include <vector>

#include "model/analytic/machine.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// By stream of the kernel, the share of what its blocks request; empty: nothing of any. `at_once`: blocks
// that run at the same time, on the whole device.
std::vector<double> found_of_others(const KernelDescription& kernel, double at_once, const Machine& machine);
std::vector<double> found_of_others(const KernelDescription& kernel, const DeviceProfile& device);

}  // namespace tilecast::analytic
