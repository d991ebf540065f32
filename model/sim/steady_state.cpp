#include "model/sim/steady_state.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast::sim {
namespace {

constexpr int longest_period = 4;
constexpr int repetitions = 3;  // of a period until it counts as steady
constexpr int windows = 3;
constexpr int longest_window = 16;  // trips
constexpr double agreement = 0.01;  // spread of the windows' paces; well below the parameters' accuracy
// Cycles for which equal trips must last, longer than a burst of requests takes to reach all queues: four
// times what S6 averages the load over (memory_system.cpp).
constexpr Cycle settled = 8192;
// Instructions of the SM that a window must hold, so that overlap at its ends hardly counts and blocks in
// other phases of their trips show more than one of these.
constexpr double window_work = 32768;
constexpr double much_work = 8 * window_work;  // enough even without agreement

}  // namespace

void SteadyState::add(const TripMark& mark) {
  marks_[static_cast<std::size_t>(count_ % history)] = mark;
  ++count_;
}

const TripMark& SteadyState::mark(int trips_back) const {
  return marks_[static_cast<std::size_t>((count_ - 1 - trips_back) % history)];
}

std::optional<SteadyState::Found> SteadyState::periodic() const {
  const auto lasted = [&](int trips) {
    return mark(0).at - mark(trips).at >= settled || trips == history - 1;
  };
  for (int period = 1; period <= longest_period; ++period) {
    int needed = std::max(4, repetitions * period);
    while (needed < trips() && !lasted(needed))
      ++needed;
    if (needed > trips() || !lasted(needed)) return std::nullopt;
    bool same = true;
    for (int i = 0; same && i + period < needed; ++i)
      same = trip(i) == trip(i + period) && issued(i) == issued(i + period) &&
             std::abs(mark(i).backlog - mark(i + period).backlog) < 1;
    if (same) return Found{period, 0};
  }
  return std::nullopt;
}

std::optional<SteadyState::Found> SteadyState::agreeing(int window, double tolerance) const {
  if (count_ < windows * window + 1) return std::nullopt;
  double least = 0, most = 0;
  for (int w = 0; w < windows; ++w) {
    const auto& end = mark(w * window);
    const auto& begin = mark((w + 1) * window);
    // Skipped trips take time in proportion to their operations, so cycles per instruction must agree.
    const double work = std::max(1.0, end.issued - begin.issued);
    const double pace = static_cast<double>(end.at - begin.at) / work;
    least = w == 0 ? pace : std::min(least, pace);
    most = w == 0 ? pace : std::max(most, pace);
  }
  const double spread = most > 0 ? (most - least) / most : 0;
  const double cycles = static_cast<double>(mark(0).at - mark(windows * window).at);
  const double grown = std::abs(mark(0).backlog - mark(windows * window).backlog);
  if (spread > tolerance || grown > tolerance * cycles) return std::nullopt;
  return Found{windows * window, spread};
}

std::optional<SteadyState::Found> SteadyState::find() const {
  if (const auto found = periodic()) return found;
  for (int window = 1; window <= longest_window; window *= 2) {
    if (count_ < windows * window + 1) break;
    if (mark(0).issued - mark(window).issued < window_work && window < longest_window) continue;
    if (const auto found = agreeing(window, agreement)) return found;
  }
  // Else the mean of all trips kept must do, whatever its spread.
  const bool enough = trips() >= windows && mark(0).issued - mark(trips()).issued >= much_work;
  return enough || trips() == history - 1 ? agreeing(trips() / windows, 1.0) : std::nullopt;
}

}  // namespace tilecast::sim
