#pragma once
// Long loops. Once the trips of a loop have done the same to memory, period after period, a warp is only
// followed: what decides where it goes is calculated, and what lives on behind the loop; accesses count as
// they did in the last period.

#include <cstddef>
#include <vector>

#include "kernels/sass/warp_run.hpp"

namespace tilecast::sass {

// What is needed to follow a warp through one loop.
struct FollowedLoop {
  bool possible = false;
  std::vector<bool> inside;           // by block
  std::vector<PreparedBlock> blocks;  // what is still calculated
  struct Rated {
    int instruction = 0, block = 0;
  };
  std::vector<Rated> rated;  // guarded instructions and accesses, which are counted by their rates
};

// Not where the loop stores to global memory, or where its way or what lives on behind it depends on tables
// in shared memory.
FollowedLoop followed_loop(const PreparedProgram& prepared, const Loop& loop);

// What the warps of a block share about their loops: the first one finds the period.
struct FollowedLoops {
  struct Entry {
    bool looked_at = false;
    FollowedLoop loop;
    std::size_t begin = 0, period = 0;  // of the last warp that was followed; 0: none
    int searches = 0;                   // warps that found none
  };
  std::vector<Entry> loops;  // as in Program::loops
};

// Of one warp.
class LoopFollower {
 public:
  // `shared` may be nullptr: nothing is followed.
  LoopFollower(const PreparedProgram& prepared, RunCounts& counts, FollowedLoops* shared);

  // A block begins, by all threads or not; `last` is the one before. The steps of it that are calculated,
  // nullptr: all.
  const PreparedBlock* enter(int block, bool all_threads, int last);
  bool following() const { return followed_ != nullptr; }
  // What a trip does.
  void note(std::uint64_t what) { done_ += (what ^ (what >> 29)) * 0x9E3779B97F4A7C15ULL; }
  // The warp has ended.
  void finish() { leave(); }

 private:
  struct Trips {
    std::size_t made = 0;               // since the loop was entered, 0 in the first
    std::vector<std::uint64_t> marks;   // done_ when each began
    std::vector<double> counts;         // of what is rated, and of its blocks' visits, when the window began
    std::size_t logged = 0;             // loads
    std::size_t begin = 0, period = 0;  // from which trip on it is followed; 0: not known
    bool given_up = false;
  };
  void at_header(std::size_t loop, bool all_threads, bool entered);
  std::size_t period_of(const Trips& trips) const;
  void keep_counts(const FollowedLoop& loop, std::vector<double>& to) const;
  void follow(std::size_t loop);
  void leave();

  const PreparedProgram& prepared_;
  RunCounts& counts_;
  FollowedLoops* shared_;
  std::vector<int> loop_of_header_;  // by block: its loop's number + 1; 0: none
  std::vector<Trips> trips_;
  const FollowedLoop* followed_ = nullptr;
  std::vector<InstructionCount> rates_;  // of what is rated, a visit of its block
  std::vector<double> visits_;           // of blocks, while followed
  std::uint64_t done_ = 0;
};

}  // namespace tilecast::sass
