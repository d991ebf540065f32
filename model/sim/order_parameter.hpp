#pragma once
// How close together events of a period lie.

#include <cmath>
#include <complex>
#include <numbers>
#include <span>

#include "model/sim/core_parameters.hpp"

namespace tilecast::sim {

// Kuramoto's order parameter |mean of exp(2 pi i time / period)| of one time and more, all in cycles, as the
// period, which is positive: 1 where all are at the same time of a period, about 1 / sqrt(their number) where
// they are at any.
inline double order_parameter(std::span<const Cycle> times, double period) {
  std::complex<double> sum;
  for (const Cycle time : times)
    sum += std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(time) / period);
  return std::abs(sum) / static_cast<double>(times.size());
}

}  // namespace tilecast::sim
