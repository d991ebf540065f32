#pragma once
// Which code a set of layers needs: what `tilecast compile` compiles ahead of time.

#include <span>
#include <vector>

#include "kernels/family.hpp"

namespace tilecast {

// The specialisation of every feasible config of every family for these layers on this device: each once,
// sorted by key. Pure.
std::vector<Specialisation> needed_specialisations(std::span<const KernelFamily> families,
                                                   std::span<const ConvShape> layers,
                                                   const DeviceProfile& device);

}  // namespace tilecast
