#pragma once
// Invented results of the shape that real ones have, for tests alone: a smooth cost over the config plus a
// reproducible disturbance. No number here describes a real GPU.

#include <vector>

#include "model/device/device_profile.hpp"
#include "reports/figure_data.hpp"

namespace tilecast::synthetic {

std::vector<PredictedPoint> points();
std::vector<BaselinePoint> baselines();
// Two models on the points: a good one, and one that is twice too slow.
ModelComparison models();
// The good model whole and without two of its bounds.
std::vector<ErrorSummary> ablation();
DeviceProfile device();

}  // namespace tilecast::synthetic
