// S4: which memory instructions are in the SM's queue, and who enters next.
#include "model/sim/memory_queue.hpp"

#include "tests/catch.hpp"

using namespace tilecast::sim;

namespace {

QueueEntry load(int warp) {
  QueueEntry entry;
  entry.warp = warp;
  return entry;
}

QueueEntry copy(int warp) {
  auto entry = load(warp);
  entry.copy = true;
  return entry;
}

// Warps of those that enter.
std::vector<int> let_in(MemoryQueue& queue) {
  std::vector<int> warps;
  queue.let_in([&](int, const QueueEntry& entry) { warps.push_back(entry.warp); });
  return warps;
}

}  // namespace

TEST_CASE("memory queue (S4): a scheduler is full when its own queue is, behind the shared places", "[sim]") {
  MemoryQueue queue(2, 2, 3);
  for (int warp = 0; warp < 3; ++warp)
    CHECK(queue.add(0, load(warp)));
  CHECK_FALSE(queue.add(0, load(3)));
  CHECK_FALSE(queue.full(0));
  CHECK_FALSE(queue.add(0, load(4)));
  CHECK(queue.full(0));
  CHECK_FALSE(queue.full(1));

  queue.take(0);
  CHECK(queue.head(0).warp == 1);
  CHECK(queue.full(0));  // until one has entered
  CHECK(let_in(queue) == std::vector{3});
  CHECK_FALSE(queue.full(0));
}

TEST_CASE("memory queue (S4): schedulers' instructions enter in turn, each scheduler's in order", "[sim]") {
  MemoryQueue queue(3, 4, 2);
  queue.add(0, load(0));
  queue.add(0, load(1));
  for (const int scheduler : {2, 1, 2, 1})
    CHECK_FALSE(queue.add(scheduler, load(10 * scheduler)));
  CHECK_FALSE(queue.add(0, load(2)));
  CHECK_FALSE(queue.offers(1));
  CHECK_FALSE(queue.empty(1));

  queue.take(0);
  CHECK(let_in(queue) == std::vector{2});
  queue.take(0);
  CHECK(let_in(queue) == std::vector{10});
  CHECK(queue.offers(1));
  queue.take(0);
  queue.take(1);
  CHECK(let_in(queue) == std::vector{20, 10});  // the first scheduler has none, in its turn
}

TEST_CASE("memory queue (S4): a copy takes two places, and who is behind it in turn waits for them",
          "[sim]") {
  MemoryQueue queue(2, 4, 3);
  CHECK(queue.add(0, copy(0)));
  CHECK_FALSE(queue.add(0, copy(1)));
  CHECK(queue.add(1, load(2)));  // the third place
  CHECK_FALSE(queue.add(1, load(3)));
  queue.take(1);
  CHECK(let_in(queue).empty());  // one place is free, the copy's turn
  queue.take(0);
  CHECK(let_in(queue) == std::vector{1, 3});
}

TEST_CASE("memory queue (S5): a barrier takes no place and goes past stores, not past loads", "[sim]") {
  MemoryQueue queue(1, 4, 2);
  auto store = load(1);
  store.shared_store = true;
  auto barrier = load(2);
  barrier.barrier = true;
  CHECK(queue.add(0, load(0)));
  CHECK(queue.add(0, store));
  CHECK(queue.add(0, barrier));
  CHECK_FALSE(queue.add(0, store));
  queue.take(0);
  CHECK(queue.head(0).warp == 2);
  queue.take(0);
  CHECK(queue.head(0).warp == 1);
}

TEST_CASE(
    "memory queue (S4): global stores stay in their scheduler's queue, and leave for the pipe from there",
    "[sim]") {
  MemoryQueue queue(2, 2, 2);
  auto store = load(0);
  store.global_store = true;
  CHECK(queue.add(0, store));
  CHECK(queue.offers(0));
  queue.add(0, store);
  CHECK(queue.full(0));
  CHECK(queue.add(1, load(1)));  // the SM's places are free
  CHECK(queue.add(1, load(2)));
  queue.take(0);
  CHECK_FALSE(queue.full(0));
  CHECK_FALSE(queue.add(0, load(3)));
  CHECK(queue.full(0));
}
