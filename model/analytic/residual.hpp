#pragma once
// Which bound could explain a prediction's error: the factor by which each alone would have to be off.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analytic/analytic.hpp"

namespace tilecast::analytic {

struct ResidualTerm {
  std::string_view bound;
  // With this bound's time multiplied by the factor, all else unchanged, the prediction is the measured time.
  // Solved in the model itself (A10, A15), not from the bounds' sums. For `overlap`, which has no time of its
  // own, the share of what it adds. nullopt: no factor from 1/100 to 100 does it.
  std::optional<double> factor;
};

// All bounds of the prediction, the smallest change first: the likeliest explanation of the error. Throws
// what predict() throws. Costs some 40 predictions a bound.
std::vector<ResidualTerm> residual_terms(const KernelDescription& kernel, const DeviceProfile& device,
                                         const Options& options, Seconds measured);

// "issue x 1.2, l2 x 2.5": the `count` likeliest ones; empty if no bound could.
std::string residual_text(std::span<const ResidualTerm> terms, std::size_t count);

}  // namespace tilecast::analytic
