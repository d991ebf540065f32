#include "microbench/pipeline_reduction.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "microbench/probes/lane_offsets.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

// Cycles beyond the first load's until each of `schedulers` has issued `loads`, of the last of them: a queue
// of each, one that they share, and a pipe that takes a load every `pipe_cycles`, the schedulers in turn.
// Cycle by cycle.
double cycles_to_issue(int loads, int schedulers, int own, int shared, int pipe_cycles) {
  std::vector<int> issued(4, 0), queued(4, 0);
  int in_shared = 0, next = 0;
  double last = 0, pipe_free = 9;
  for (int cycle = 0; *std::min_element(issued.begin(), issued.begin() + schedulers) < loads; ++cycle) {
    if (cycle >= pipe_free && in_shared > 0) {
      --in_shared;
      pipe_free = cycle + pipe_cycles;
    }
    for (int n = 0; n < schedulers && in_shared < shared; ++n) {
      const auto s = static_cast<std::size_t>((next + n) % schedulers);
      if (queued[s] == 0) continue;
      --queued[s];
      ++in_shared;
      next = static_cast<int>(s) + 1;
      break;
    }
    for (int n = 0; n < schedulers; ++n) {
      const auto s = static_cast<std::size_t>(n);
      if (issued[s] == loads || queued[s] == own) continue;
      ++issued[s];
      ++queued[s];
      last = cycle;
    }
  }
  return last;
}

}  // namespace

TEST_CASE("pipeline: both queues come out of the times of one scheduler and of four") {
  constexpr int pipe_cycles = 64;
  for (const auto& [own, shared] : {std::pair{10, 20}, std::pair{5, 8}, std::pair{12, 4}}) {
    const double one = loads_held(40, cycles_to_issue(40, 1, own, shared, pipe_cycles), pipe_cycles, 1);
    const double four = loads_held(40, cycles_to_issue(40, 4, own, shared, pipe_cycles), 4 * pipe_cycles, 4);
    const Queues queues = queues_of(one, four);
    CHECK(queues.of_scheduler == Approx(own).margin(1));
    CHECK(queues.shared == Approx(shared).margin(1.5));
  }
}

TEST_CASE("pipeline: a number of entries is whole and the same for all, or unknown") {
  CHECK(agreed_whole(std::vector<double>{5.1, 4.9, 5.0}) == 5);
  CHECK_FALSE(agreed_whole(std::vector<double>{5, 5, 6}));
  CHECK_FALSE(agreed_whole(std::vector<double>{5.4, 5.4}));
  CHECK_FALSE(agreed_whole({}));
}

TEST_CASE("pipeline: a load's own issue slot is not lost") {
  CHECK(slots_lost(16, 264 + 16, 264) == 0);
  CHECK(slots_lost(16, 264 + 48, 264) == 2);
}

TEST_CASE("pipeline: lanes go where the pattern says") {
  CHECK(strided(4, 32)[31] == 31 * 128);
  CHECK(strided(16, 1)[2] == 32);
  CHECK(shared_by(16, 4, true)[7] == 0);
  CHECK(shared_by(16, 4, true)[8] == 16);
  CHECK(shared_by(16, 4, false)[7] == 48);
  CHECK(shared_by(8, 1, true)[31] == 0);
}

}  // namespace tilecast
