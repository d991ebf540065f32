#include "model/sim/other_tail.hpp"

#include <cmath>
#include <numbers>

namespace tilecast::sim {

double share_of_other_tail(const SmResult& simulated) {
  // Standard deviation of ln(measured deviation / S9's), H200, 27 kernels that store little
  // (experiments/place_deviations.csv: 0.56; half the range between the 16th and 84th percentiles: 0.48).
  constexpr double deviation = 0.5;
  constexpr double enough = 2;  // deviations: 1 in 44
  if (!simulated.reach || *simulated.reach <= 0) return 0;
  const double away = std::abs(std::log(*simulated.reach)) / deviation;
  return away < enough ? std::erfc(away / std::numbers::sqrt2) / 2 : 0;
}

SmWork with_other_tail(SmWork work, const SmResult& simulated) {
  const bool had = *simulated.reach >= work.least_reach;
  work.tail_most = had ? work.tail_blocks : work.tail_blocks + 1;
  work.least_reach = 0;
  return work;
}

}  // namespace tilecast::sim
