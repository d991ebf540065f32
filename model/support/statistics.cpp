#include "model/support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilecast {

double quantile(std::span<const double> samples, double fraction) {
  std::vector<double> values(samples.begin(), samples.end());
  const double at = fraction * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), below, values.end());
  if (below + 1 == values.end()) return *below;
  const double share = at - std::floor(at);
  return *below + share * (*std::min_element(below + 1, values.end()) - *below);
}

double median(std::span<const double> samples) {
  return quantile(samples, 0.5);
}

}  // namespace tilecast
