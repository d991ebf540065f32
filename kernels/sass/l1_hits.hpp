#pragma once
// Which sectors of global memory a block's loads find in L1: the accesses of an SM's blocks, of each those of
// its warps in the order of their barriers, through a cache of lines whose sectors are filled one by one
// (EQUATIONS.md S15).

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tilecast::sass {

// Loads and stores of one warp, the first of them, in its order.
struct LoadLog {
  struct Access {
    int instruction = 0;
    int epoch = 0;  // barriers that the warp had passed
    std::uint32_t first = 0, count = 0;
  };
  std::size_t most = 0;                         // accesses to be kept
  int until = std::numeric_limits<int>::max();  // the last epoch that is kept
  std::vector<Access> accesses;
  std::vector<std::uint64_t> sectors;  // of 32 bytes, by number; those of an access are distinct

  bool full() const { return accesses.size() >= most; }
  bool takes(int epoch) const { return !full() && epoch <= until; }
};

// Shares of each instruction's sectors, and of its lines; 0 where none was logged.
struct L1Hits {
  std::vector<double> found;      // that a cache of `bytes` has
  std::vector<double> under_way;  // of these, the sectors that were asked for since the last barrier
  std::vector<double> new_lines;  // of which a sector was not there, and none under way
};

struct L1Room {
  double bytes = 0;  // of the SM; 0: not looked at
  int blocks = 1;    // that share them, each with data of its own, equally far apart in what they do
};

// Lines of 128 bytes that can be under way at a time (S4).
double lines_at_once(const L1Room& room);

// Between two barriers the warps take turns. Where a log is full, all end with its last epoch.
L1Hits l1_hits(const std::vector<LoadLog>& warps, std::size_t instructions, const L1Room& room);

}  // namespace tilecast::sass
