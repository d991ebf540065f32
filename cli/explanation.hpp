#pragma once
// One prediction term by term: its bounds, what it would be without each, and how it moves with each
// parameter of the device. Pure functions.

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "model/analytic/analytic.hpp"
#include "model/device/occupancy.hpp"

namespace tilecast {

struct ExplainedBound {
  Bound bound;
  Seconds without{};  // the prediction with this bound switched off
};

// d ln(time) / d ln(value): -1 means that twice the value halves the time.
struct Sensitivity {
  std::string_view key;  // of the parameter or curve
  double elasticity = 0;
};

struct Explanation {
  Prediction prediction;
  Occupancy occupancy;
  std::vector<ExplainedBound> bounds;      // longest first
  std::vector<Sensitivity> sensitivities;  // strongest first; those without effect are left out
};

// Throws what analytic::predict throws.
Explanation explain(const KernelDescription& kernel, const DeviceProfile& device,
                    const analytic::Options& options);

// The explanation for people.
std::string explanation_text(const KernelDescription& kernel, const Explanation& explanation);
// One JSON object: time_s, limiter, launch {...}, bounds [...], sensitivities [...].
std::string explanation_json(const KernelDescription& kernel, const Explanation& explanation);

}  // namespace tilecast
