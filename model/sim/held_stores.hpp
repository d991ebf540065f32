#pragma once
// S6. Stores that have passed the memory pipe and are still somewhere on their way to L2, where there is room
// for so many.

#include <deque>

#include "model/sim/sm_state.hpp"

namespace tilecast::sim {

class HeldStores {
 public:
  // A store that takes `amount` of the room until `until`, which is not before that of the one before.
  void add(Cycle until, double amount) {
    stores_.push_back({until, amount});
    held_ += amount;
  }
  void leave(Cycle now) {
    for (; !stores_.empty() && stores_.front().until <= now; stores_.pop_front())
      held_ -= stores_.front().amount;
  }
  // The cycle from which on there is room for another one, of `most`.
  Cycle room(double most) const {
    double held = held_;
    if (held < most) return 0;
    for (const auto& store : stores_) {
      held -= store.amount;
      if (held < most) return store.until;
    }
    return 0;
  }

 private:
  struct Store {
    Cycle until = 0;
    double amount = 0;
  };
  std::deque<Store> stores_;
  double held_ = 0;
};

}  // namespace tilecast::sim
