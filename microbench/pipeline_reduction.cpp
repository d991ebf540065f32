#include "microbench/pipeline_reduction.hpp"

#include <cmath>

namespace tilecast {

double loads_held(double loads, double cycles, double cycles_a_load, int schedulers) {
  // From issue to the pipe (Huerta et al., MICRO 2025, table 2: to the source registers' reading).
  constexpr double way = 9;
  const double turn = (schedulers - 1.0) / schedulers;
  return loads - 1 + turn - (cycles - way) / cycles_a_load;
}

Queues queues_of(double held_by_one, double held_by_each_of_four) {
  const double shared = (held_by_one - held_by_each_of_four) * 4 / 3;
  return {held_by_one - shared, shared};
}

std::optional<int> agreed_whole(std::span<const double> samples) {
  constexpr double tolerance = 0.25;
  if (samples.empty()) return std::nullopt;
  const double whole = std::round(samples.front());
  for (const double sample : samples) {
    if (!(std::abs(sample - whole) <= tolerance)) return std::nullopt;
  }
  return static_cast<int>(whole);
}

double slots_lost(double loads, double cycles_with, double cycles_without) {
  return (cycles_with - cycles_without) / loads - 1;
}

}  // namespace tilecast
