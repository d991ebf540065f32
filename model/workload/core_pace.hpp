#pragma once
// How fast blocks run on an SM whose memory answers at once (EQUATIONS.md S18).

#include <vector>

namespace tilecast {

// Cycles of blocks that run together: of those that begin together, until the last one ends, of a later wave,
// whose blocks begin where others end, and between the first wave's first end and its last.
struct CorePace {
  double blocks = 0;
  double first = 0, later = 0, ends_apart = 0;
};

// Of one block alone, where data from beyond the SM are there so many cycles after they were asked for.
struct CoreWait {
  double latency = 0, cycles = 0;
};

struct CorePaces {
  double thread_fmas = 0;       // multiply-adds of a thread of the launch that was read, a mean over its grid
  std::vector<CorePace> waves;  // by blocks; empty: not read
  std::vector<CoreWait> waits;  // by latency
};

}  // namespace tilecast
