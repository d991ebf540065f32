#pragma once
// Which bound could carry a prediction's error: by how much each alone would have to be off.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analytic/analytic.hpp"

namespace tilecast::analytic {

struct ResidualTerm {
  std::string_view bound;
  // This bound's time times the factor makes the prediction the measured time, all else as it is: solved in
  // the model itself (A10, A15), not from the bounds' sums. Of `overlap`, which has no time of its own, the
  // share of what it adds. Nothing: no factor from 1/100 to 100 does.
  std::optional<double> factor;
};

// Every bound of the prediction, the least change first: the term that is most likely to carry the residual.
// Throws what predict() throws. Some 40 predictions a bound.
std::vector<ResidualTerm> residual_terms(const KernelDescription& kernel, const DeviceProfile& device,
                                         const Options& options, Seconds measured);

// "issue x 1.2, l2 x 2.5": the `count` most likely ones; empty when no bound could.
std::string residual_text(std::span<const ResidualTerm> terms, std::size_t count);

}  // namespace tilecast::analytic
