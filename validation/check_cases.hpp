#pragma once
// The cases that each family names for the comparison with float64: odd shapes, every path of its kernel.

#include <span>
#include <vector>

#include "kernels/family.hpp"

namespace tilecast {

struct CheckCase {
  const KernelFamily* family = nullptr;
  ConvShape shape;
  Config config;
};

// Of these families, in their order. Throws Error for a family that names none.
std::vector<CheckCase> check_cases(std::span<const KernelFamily* const> families);

}  // namespace tilecast
