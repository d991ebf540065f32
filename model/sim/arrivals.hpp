#pragma once
// S4. Wavefronts that async copies owe to the banks of L1 and shared memory when their data arrive: cycles of
// the SM's memory pipe, queued by time of arrival.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model/sim/decode.hpp"

namespace tilecast::sim {

class Arrivals {
 public:
  // Arrivals beyond the table's horizon count as arriving at its end.
  void add(Cycle at, double cycles) {
    if (due_.empty()) due_.resize(slots);
    const Cycle slot = std::clamp(at / grain, next_, next_ + slots - 1);
    due_[static_cast<std::size_t>(slot % slots)] += cycles;
    waiting_ = std::max(waiting_, slot + 1);
  }

  // Returns when the pipe, so far free from `free` on, is free after all arrivals up to `now`.
  double take(Cycle now, double free) {
    const Cycle last = now / grain;
    if (waiting_ <= next_) {
      next_ = std::max(next_, last);
      return free;
    }
    for (; next_ <= last; ++next_) {
      auto& due = due_[static_cast<std::size_t>(next_ % slots)];
      if (due <= 0) continue;
      free = std::max(free, static_cast<double>(next_ * grain)) + due;
      due = 0;
    }
    return free;
  }

 private:
  static constexpr Cycle grain = 8, slots = 2048;
  std::vector<double> due_;
  Cycle next_ = 0;     // the first slot not served yet
  Cycle waiting_ = 0;  // one past the last slot with work
};

}  // namespace tilecast::sim
