#include "model/workload/prediction.hpp"

#include <cmath>

namespace tilecast {

Prediction between(const Prediction& sim, const Prediction& analytic) {
  const auto mean = [](Seconds a, Seconds b) { return Seconds{std::sqrt(a.value() * b.value())}; };
  Prediction both = analytic;  // its bounds are named and can be switched off
  both.time = mean(sim.time, analytic.time);
  both.low = mean(sim.low, analytic.low);
  both.high = mean(sim.high, analytic.high);
  return both;
}

}  // namespace tilecast
