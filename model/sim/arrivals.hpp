#pragma once
// S4. What the banks of L1 and of shared memory have to do for copies when their data come: cycles of the
// SM's memory pipe, by when they are due.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model/sim/decode.hpp"

namespace tilecast::sim {

class Arrivals {
 public:
  // What comes further ahead than the table reaches counts as coming at its end.
  void add(Cycle at, double cycles) {
    if (due_.empty()) due_.resize(slots);
    const Cycle slot = std::clamp(at / grain, next_, next_ + slots - 1);
    due_[static_cast<std::size_t>(slot % slots)] += cycles;
    waiting_ = std::max(waiting_, slot + 1);
  }

  // Until when the pipe is taken that was free from `free` on, with all that has come until `now`.
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
  Cycle next_ = 0;     // the first slot that has not been looked at
  Cycle waiting_ = 0;  // behind the last slot in which something is due
};

}  // namespace tilecast::sim
