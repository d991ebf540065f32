#pragma once
// S6. Lines sent once: lines that an SM's stores have filled in part and that are still on their way to L2. A
// store that fills more of such a line is sent with it, in fewer packets.

#include <array>
#include <cstddef>
#include <deque>

#include "model/sim/sm_state.hpp"

namespace tilecast::sim {

// Knows which stores are neighbours in memory: the same store of the block's warps in order, followed by the
// first warp's next one; or consecutive stores of one warp.
class OpenLines {
 public:
  explicit OpenLines(double room) : room_(room) {}  // sectors stored until a line is closed

  struct Store {
    int block = 0;
    int warp = 0;      // of the block
    int of_warp = 0;   // stores of the warp before it
    bool own = false;  // begins where the warp's previous store ended
  };
  // Lines that a store shares with open ones, by whose they are.
  struct Met {
    int behind = 0;  // the same store of a neighbouring warp
    int around = 0;  // across the last and the first warp
    int own = 0;     // the warp's previous store
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
  // L2 takes the store of meet(), so many sectors, at `until`: its unmatched lines stay open until then.
  void keep(double sectors, Cycle until) {
    for (std::size_t i = 0; i < unmet_; ++i)
      open_.push_back({lines_[i], until, stored_});
    unmet_ = 0;
    stored_ += sectors;
    while (!open_.empty() && stored_ - open_.front().behind >= room_)
      open_.pop_front();
  }

 private:
  // A line in which a store begins or ends.
  struct Line {
    int block = 0, warp = 0, of_warp = 0;
    bool end = false;
    bool operator==(const Line&) const = default;
  };
  struct Open {
    Line line;
    Cycle until = 0;
    double behind = 0;  // sectors stored before it
  };
  // 1 where the line is still open as `other`; else it may be kept open as `own`.
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
  std::array<Line, 2> lines_;  // of the last store, those that met none
  std::size_t unmet_ = 0;
};

}  // namespace tilecast::sim
