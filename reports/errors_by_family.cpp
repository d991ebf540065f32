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

double quantile(std::span<const double> ascending, double q) {
  const double rank = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (rank - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

}  // namespace tilecast
