#pragma once
// S8. Steady state of a loop: one warp's trips are timed until they are exactly periodic or windows of them
// agree.

#include <algorithm>
#include <array>
#include <optional>

#include "model/sim/core_parameters.hpp"
#include "model/sim/stalls.hpp"

namespace tilecast::sim {

// Counters of the SM at the end of a trip.
struct TripMark {
  Cycle at = 0;
  StallTable stalls;
  double issued = 0, l2_bytes = 0, dram_bytes = 0, store_cycles = 0, dram_cycles = 0, dram_written = 0;
  double backlog = 0;  // of the memory's queues, cycles; while it grows, nothing is steady
};

class SteadyState {
 public:
  struct Found {
    int trips = 0;      // the last ones, whose contents repeat
    double spread = 0;  // relative, of the windows' paces; 0: exactly periodic
  };

  void reset() { count_ = 0; }
  int trips() const { return std::min(count_, history) - 1; }  // between the marks that are kept
  void add(const TripMark& mark);
  const TripMark& mark(int trips_back) const;  // 0: the last; at most history - 1
  std::optional<Found> find() const;

  static constexpr int history = 64;

 private:
  Cycle trip(int back) const { return mark(back).at - mark(back + 1).at; }
  // By all warps: where this differs, others are at different places of their loops.
  double issued(int back) const { return mark(back).issued - mark(back + 1).issued; }
  std::optional<Found> periodic() const;
  std::optional<Found> agreeing(int window, double tolerance) const;

  std::array<TripMark, history> marks_{};
  int count_ = 0;
};

}  // namespace tilecast::sim
