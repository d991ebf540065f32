#pragma once
// Long loops. Once a loop's trips make the same accesses period after period, a warp is only followed: what
// decides its path, and what is live behind the loop, is still calculated; accesses count as in the last
// period.

#include <cstddef>
#include <vector>

#include "kernels/sass/warp_run.hpp"

namespace tilecast::sass {

// What is needed to follow a warp through one loop.
struct FollowedLoop {
  bool possible = false;
  std::vector<bool> inside;           // by block
  std::vector<PreparedBlock> blocks;  // the steps that are still calculated
  struct Rated {
    int instruction = 0, block = 0;
  };
  std::vector<Rated> rated;  // guarded instructions and accesses, counted by rates
};

// Not possible where the loop stores to global memory, or where its path or a value that is live behind it
// depends on tables in shared memory.
FollowedLoop followed_loop(const PreparedProgram& prepared, const Loop& loop);

// Shared by a block's warps: what they know of the loops. The first warp finds the period.
struct FollowedLoops {
  struct Entry {
    bool looked_at = false;
    FollowedLoop loop;
    std::size_t begin = 0, period = 0;  // of the last followed warp; 0: none
    int searches = 0;                   // warps that found no period
  };
  std::vector<Entry> loops;  // as in Program::loops
};

// Follows the loops of one warp.
class LoopFollower {
 public:
  // `shared` may be nullptr: nothing is followed.
  LoopFollower(const PreparedProgram& prepared, RunCounts& counts, FollowedLoops* shared);

  // The warp enters a block, with all threads or not, from block `last`. Returns the steps to be calculated;
  // nullptr: all.
  const PreparedBlock* enter(int block, bool all_threads, int last);
  bool following() const { return followed_ != nullptr; }
  // Adds an access to the hash of what trips do.
  void note(std::uint64_t what) { done_ += (what ^ (what >> 29)) * 0x9E3779B97F4A7C15ULL; }
  // The warp has ended.
  void finish() { leave(); }

 private:
  struct Trips {
    std::size_t made = 0;              // trips completed since the loop was entered
    std::vector<std::uint64_t> marks;  // done_ at each trip's begin
    std::vector<double> counts;  // at the window's begin: of rated instructions, and visits of their blocks
    std::size_t logged = 0;      // loads logged so far
    std::size_t begin = 0, period = 0;  // the trip from which on it is followed; 0: not known
    bool given_up = false;
  };
  void at_header(std::size_t loop, bool all_threads, bool entered);
  void find_begin(Trips& trips, FollowedLoops::Entry& entry);
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
  std::vector<InstructionCount> rates_;  // of rated instructions, per visit of their block
  std::vector<double> visits_;           // of blocks, while followed
  std::uint64_t done_ = 0;
};

}  // namespace tilecast::sass
