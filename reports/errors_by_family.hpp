#pragma once
// Points grouped by family, with their errors: shared by the figures and tables of accuracy.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "reports/figure_data.hpp"

namespace tilecast {

// Families in alphabetical order; only measured points.
std::map<std::string, std::vector<const PredictedPoint*>> measured_by_family(
    std::span<const PredictedPoint> points);

// |predicted / measured - 1|, ascending.
std::vector<double> sorted_abs_errors(std::span<const PredictedPoint* const> points);

}  // namespace tilecast
