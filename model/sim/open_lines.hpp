#pragma once
// S6. The lines that an SM's stores have filled in part and that are still on their way to L2: a store that
// fills more of such a line is sent with it.

#include <array>
#include <cstddef>
#include <deque>

#include "model/sim/sm_state.hpp"

namespace tilecast::sim {

// Of stores that follow each other in memory in the order of the block's warps, the first warp's next one
// behind the last warp's, or a warp's one behind the other.
class OpenLines {
 public:
  explicit OpenLines(double room) : room_(room) {}  // sectors of stores

  struct Store {
    int block = 0;
    int warp = 0;      // of the block
    int of_warp = 0;   // how many the warp has stored before
    bool own = false;  // begins where the warp's store before ended
  };
  // With what it shares a line that is sent once.
  struct Met {
    int behind = 0;  // neighbouring warps' same stores
    int around = 0;  // the last and the first warp's
    int own = 0;     // the warp's one before
  };
  Met meet(const Store& s, int warps, Cycle now) {
    const bool first = s.warp == 0, last = s.warp == warps - 1;
    const Line begin{s.block, s.warp, s.of_warp, false}, end{s.block, s.warp, s.of_warp, true};
    const Line before = s.own   ? Line{s.block, s.warp, s.of_warp - 1, true}
                        : first ? Line{s.block, warps - 1, s.of_warp - 1, true}
                                : Line{s.block, s.warp - 1, s.of_warp, true};
    const Line behind =
        last ? Line{s.block, 0, s.of_warp + 1, false} : Line{s.block, s.warp + 1, s.of_warp, false};
    Met met;
    (s.own ? met.own : first ? met.around : met.behind) += close(before, begin, now);
    (last ? met.around : met.behind) += close(behind, end, now);
    return met;
  }
  // L2 takes the store, of so many sectors, at `until`; with it the lines of which the rest had not come.
  void keep(double sectors, Cycle until) {
    for (std::size_t i = 0; i < unmet_; ++i)
      open_.push_back({lines_[i], until, stored_});
    unmet_ = 0;
    stored_ += sectors;
    while (!open_.empty() && stored_ - open_.front().behind >= room_)
      open_.pop_front();
  }

 private:
  // Where a store begins or ends.
  struct Line {
    int block = 0, warp = 0, of_warp = 0;
    bool end = false;
    bool operator==(const Line&) const = default;
  };
  struct Open {
    Line line;
    Cycle until = 0;
    double behind = 0;  // sectors of all stores before it
  };
  // 1: `other`, the same line, is still there.
  int close(const Line& other, const Line& own, Cycle now) {
    for (auto open = open_.begin(); open != open_.end(); ++open) {
      if (open->line != other) continue;
      const bool there = open->until > now;
      open_.erase(open);
      if (there) return 1;
      break;
    }
    lines_[unmet_++] = own;
    return 0;
  }

  double room_;
  double stored_ = 0;          // sectors, so far
  std::deque<Open> open_;      // the oldest first
  std::array<Line, 2> lines_;  // of the last store, that none was met for
  std::size_t unmet_ = 0;
};

}  // namespace tilecast::sim
