#include "reports/errors_by_family.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast {

std::map<std::string, std::vector<const PredictedPoint*>> measured_by_family(
    std::span<const PredictedPoint> points) {
  std::map<std::string, std::vector<const PredictedPoint*>> families;
  for (const auto& p : points) {
    if (p.measured) families[p.family].push_back(&p);
  }
  return families;
}

std::vector<double> sorted_abs_errors(std::span<const PredictedPoint* const> points) {
  std::vector<double> errors;
  errors.reserve(points.size());
  for (const auto* p : points)
    errors.push_back(std::abs(p->signed_error()));
  std::ranges::sort(errors);
  return errors;
}

}  // namespace tilecast
