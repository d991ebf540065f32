#pragma once
// S15 (EQUATIONS.md). L1 hits of a block's loads: the accesses of all blocks of an SM, each block's warps in
// the order of their barriers, run through a sectored cache.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tilecast::sass {

// The first loads and stores of one warp, in order.
struct LoadLog {
  struct Access {
    int instruction = 0;
    int epoch = 0;  // barriers that the warp had passed
    std::uint32_t first = 0, count = 0;
  };
  std::size_t most = 0;                         // accesses kept, at most
  int until = std::numeric_limits<int>::max();  // the last epoch that is kept
  std::vector<Access> accesses;
  std::vector<std::uint64_t> sectors;  // numbers of 32-byte sectors, distinct within an access

  bool full() const { return accesses.size() >= most; }
  bool takes(int epoch) const { return !full() && epoch <= until; }
};

// By instruction, shares of its sectors or lines; 0 where none was logged.
struct L1Hits {
  std::vector<double> found;      // sectors found in L1 or under way
  std::vector<double> under_way;  // of these sectors, those asked for since the last barrier
  std::vector<double> new_lines;  // lines with a sector that missed and none under way
};

struct L1Room {
  double bytes = 0;  // of the SM's L1; 0: no cache is simulated
  int blocks = 1;    // that share it, each with its own data, at equally spaced points of their work
};

// Lines of 128 bytes that can be under way at a time (S4).
double lines_at_once(const L1Room& room);

// Between two barriers, warps take turns. Where one log is full, all end with its last epoch.
L1Hits l1_hits(const std::vector<LoadLog>& warps, std::size_t instructions, const L1Room& room);

}  // namespace tilecast::sass
