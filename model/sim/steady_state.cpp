#include "model/sim/steady_state.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast::sim {
namespace {

constexpr int longest_period = 4;
constexpr int repetitions = 3;  // of a period, until it is believed
constexpr int windows = 3;
constexpr int window_trips = 4;
constexpr double agreement = 0.01;  // of three windows' means: well below what the parameters are known to
constexpr int patience = 16;        // trips; then the mean of the last windows must do, whatever its spread
// Of trips as long as several loaded round trips to DRAM, or with so many instructions of the SM that what
// overlaps at their ends hardly counts, each is a window of its own.
constexpr Cycle long_window = 8192;
constexpr double long_work = 8192;
constexpr int long_patience = 7;

}  // namespace

void SteadyState::add(const TripMark& mark) {
  marks_[static_cast<std::size_t>(count_ % history)] = mark;
  ++count_;
}

const TripMark& SteadyState::mark(int trips_back) const {
  return marks_[static_cast<std::size_t>((count_ - 1 - trips_back) % history)];
}

std::optional<SteadyState::Found> SteadyState::periodic() const {
  for (int period = 1; period <= longest_period; ++period) {
    const int needed = std::max(4, repetitions * period);
    if (count_ < needed + 1) return std::nullopt;
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
    // Trips that differ are skipped in proportion to their operations: so it is their pace that must agree.
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

// Trips that differ, as of a pipeline whose stages hold several of them, repeat only over longer windows.
bool SteadyState::is_long(int trips) const {
  for (int w = 1; w < windows; ++w) {
    if (own_issued(w * trips, trips) != own_issued(0, trips)) return false;
  }
  return mark(0).at - mark(trips).at >= long_window || mark(0).issued - mark(trips).issued >= long_work;
}

std::optional<SteadyState::Found> SteadyState::find() const {
  if (const auto found = periodic()) return found;
  for (int window = 1; window <= window_trips; window *= 2) {
    if (count_ < windows * window + 1) return std::nullopt;
    if (window < window_trips && !is_long(window)) continue;
    if (const auto found = agreeing(window, agreement)) return found;
  }
  const bool alike = count_ >= long_patience && is_long(2);
  if (count_ < (alike ? long_patience : patience)) return std::nullopt;
  return agreeing(alike ? 2 : window_trips + 1, 1.0);
}

}  // namespace tilecast::sim
