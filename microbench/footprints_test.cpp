#include "microbench/footprints.hpp"

#include <algorithm>
#include <cmath>

#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("footprints: from 4 KiB to 8 x L2, dense at the edges of L1 and L2") {
  constexpr double mib = 1 << 20;
  const auto points = chase_footprints(228 * 1024, 60 * mib, false);
  CHECK(points.front() == 4096);
  CHECK(points.back() == 8 * 60 * mib);
  CHECK(std::is_sorted(points.begin(), points.end()));
  CHECK(std::adjacent_find(points.begin(), points.end()) == points.end());
  const auto within = [&](double low, double high) {
    return std::count_if(points.begin(), points.end(), [&](double x) { return x >= low && x < high; });
  };
  CHECK(within(30 * mib, 60 * mib) >= 8);
  CHECK(within(60 * mib, 120 * mib) >= 8);
  CHECK(within(128 * 1024, 256 * 1024) >= 8);
  CHECK(within(1 * mib, 2 * mib) == 2);
  CHECK(within(4 * 60 * mib, 1e12) >= 2);  // the DRAM plateau
  CHECK(std::all_of(points.begin(), points.end(), [](double x) { return std::fmod(x, 4096) == 0; }));
  CHECK(chase_footprints(228 * 1024, 60 * mib, true).size() < points.size() / 2);
}

TEST_CASE("footprints: what does not fit is told with what there is, what fits is not") {
  constexpr std::size_t mib = 1 << 20;
  CHECK(memory_problem(480 * mib, 480 * mib, "8 x L2").empty());
  CHECK(memory_problem(480 * mib, 100 * mib, "8 x L2") ==
        "needs 480 MiB of device memory (8 x L2), 100 MiB can be had");
  CHECK(memory_problem(480 * mib + 1, 480 * mib, "8 x L2") ==
        "needs 481 MiB of device memory (8 x L2), 480 MiB can be had");
}

}  // namespace tilecast
