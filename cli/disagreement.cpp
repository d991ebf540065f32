#include "cli/disagreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilecast {
namespace {

double apart(Seconds sim, Seconds analytic) {
  return std::exp(std::abs(std::log(sim.value() / analytic.value())));
}

double apart(const TwoTimes& times) {
  return apart(times.sim, times.analytic);
}

}  // namespace

bool disagree(Seconds sim, Seconds analytic) {
  return apart(sim, analytic) > large_disagreement;
}

std::string disagreement_warning(std::span<const TwoTimes> kernels) {
  const auto count = std::ranges::count_if(
      kernels, [](const TwoTimes& times) { return disagree(times.sim, times.analytic); });
  if (count == 0) return {};
  const auto& most =
      *std::ranges::max_element(kernels, {}, [](const TwoTimes& times) { return apart(times); });
  const auto where = kernels.size() == 1
                         ? most.kernel
                         : fmt::format("{} of {} kernels, most on {}", count, kernels.size(), most.kernel);
  return fmt::format(
      "warning: sim and analytic are more than {} times apart on {}: {:.2f} and {:.2f} us; one of the two "
      "misses "
      "something that matters\n",
      large_disagreement, where, 1e6 * most.sim.value(), 1e6 * most.analytic.value());
}

}  // namespace tilecast
