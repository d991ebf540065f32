#include <vector>

#include "microbench/probes/permutation.hpp"
#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("permutation: following the ring visits every node once and comes back") {
  for (const unsigned long long count : {2ULL, 3ULL, 32ULL, 1000ULL, 4096ULL, 122880ULL}) {
    for (const unsigned seed : {1U, 2U, 77U}) {
      std::vector<unsigned long long> next(count, count);
      for (unsigned long long i = 0; i < count; ++i) {
        next[permuted(i, count, seed)] = permuted((i + 1) % count, count, seed);
      }
      unsigned long long at = permuted(0, count, seed), steps = 0;
      const unsigned long long start = at;
      do {
        REQUIRE(next[at] < count);
        at = next[at];
        ++steps;
      } while (at != start && steps <= count);
      CHECK(steps == count);
    }
  }
}

TEST_CASE("permutation: neighbours in the ring are far apart, and seeds differ") {
  constexpr unsigned long long count = 1 << 16;
  unsigned long long near = 0, same = 0;
  for (unsigned long long i = 0; i + 1 < count; ++i) {
    const auto here = permuted(i, count, 1), there = permuted(i + 1, count, 1);
    if ((here > there ? here - there : there - here) < 64) ++near;
    if (here == permuted(i, count, 2)) ++same;
  }
  // 127 of 65536 places are that near to a random one: 127 expected by chance.
  CHECK(near < 400);
  CHECK(same < 40);  // 1 expected by chance
}

TEST_CASE("permutation: each node of a ring lies in a line of its own step") {
  constexpr unsigned long long nodes = 1000, step = 1 << 14;
  std::vector<bool> used(nodes);
  bool moved = false;
  for (unsigned long long i = 0; i < nodes; ++i) {
    const auto offset = node_offset(i, nodes, step, 3);
    CHECK(offset % 128 == 0);
    REQUIRE(offset < nodes * step);
    CHECK_FALSE(used[offset / step]);
    used[offset / step] = true;
    moved = moved || offset % step != 0;
  }
  CHECK(moved);
  CHECK(node_offset(nodes, nodes, step, 3) == node_offset(0, nodes, step, 3));
  CHECK(node_offset(7, nodes, 128, 3) == 128 * permuted(7, nodes, 3));
}

}  // namespace tilecast
