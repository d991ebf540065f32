#include "model/sim/open_lines.hpp"

#include "tests/catch.hpp"

using namespace tilecast::sim;

namespace {

// How many lines each of these stores of five sectors finds open, of blocks of three warps; L2 takes each at
// cycle 1000.
std::vector<int> met(std::vector<OpenLines::Store> stores, double room = 100, Cycle now = 0) {
  OpenLines lines(room);
  std::vector<int> found;
  for (const auto& store : stores) {
    const auto m = lines.meet(store, 3, now);
    lines.keep(5, 1000);
    found.push_back(m.behind + m.around + m.own);
  }
  return found;
}

}  // namespace

TEST_CASE("open lines (S6): a store goes with its neighbours' in whatever order they come", "[sim]") {
  CHECK(met({{0, 0, 0}, {0, 1, 0}, {0, 2, 0}}) == std::vector{0, 1, 1});
  CHECK(met({{0, 0, 0}, {0, 2, 0}, {0, 1, 0}}) == std::vector{0, 0, 2});
  CHECK(met({{0, 0, 0}, {1, 1, 0}, {0, 1, 1}}) == std::vector{0, 0, 0});  // another block, another row
  CHECK(met({{0, 2, 0}, {0, 0, 1}}) == std::vector{0, 1});                // around
  CHECK(met({{0, 0, 1}, {0, 2, 0}}) == std::vector{0, 1});
  CHECK(met({{0, 1, 0}, {0, 1, 1}}) == std::vector{0, 0});
  CHECK(met({{0, 1, 0}, {0, 1, 1, true}}) == std::vector{0, 1});  // the warp's own one before
}

TEST_CASE("open lines (S6): whose the one before it was is told apart", "[sim]") {
  OpenLines lines(100);
  const auto store = [&](OpenLines::Store s) {
    const auto m = lines.meet(s, 2, 0);
    lines.keep(5, 1000);
    return std::array{m.behind, m.around, m.own};
  };
  CHECK(store({0, 0, 0}) == std::array{0, 0, 0});
  CHECK(store({0, 1, 0}) == std::array{1, 0, 0});
  CHECK(store({0, 0, 1}) == std::array{0, 1, 0});
  CHECK(store({0, 0, 2, true}) == std::array{0, 0, 1});
}

TEST_CASE("open lines (S6): they wait behind so many sectors, and until L2 has taken them", "[sim]") {
  // The first store and two others, 15 sectors, are in front of the last one.
  const std::vector<OpenLines::Store> stores{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}};
  CHECK(met(stores, 16) == std::vector{0, 0, 0, 1});
  CHECK(met(stores, 15) == std::vector{0, 0, 0, 0});
  CHECK(met({{0, 0, 0}, {0, 1, 0}}, 100, 999) == std::vector{0, 1});
  CHECK(met({{0, 0, 0}, {0, 1, 0}}, 100, 1000) == std::vector{0, 0});
}
