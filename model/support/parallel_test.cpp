#include "model/support/parallel.hpp"

#include <stdexcept>
#include <vector>

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("parallel_for: every index once, whatever the number of threads", "[support]") {
  for (const unsigned threads : {0U, 1U, 3U, 100U}) {
    std::vector<int> seen(50, 0);
    parallel_for(seen.size(), threads, [&](std::size_t i) { ++seen[i]; });
    CHECK(seen == std::vector<int>(50, 1));
  }
  parallel_for(0, 4, [](std::size_t) { FAIL("nothing to do"); });
}

TEST_CASE("parallel_for: an exception ends the work and comes out", "[support]") {
  CHECK_THROWS_WITH(parallel_for(10, 1,
                                 [](std::size_t i) {
                                   if (i == 3) throw std::runtime_error("three");
                                   if (i > 3) throw std::runtime_error("begun after the first exception");
                                 }),
                    "three");
  CHECK_THROWS_AS(parallel_for(10, 4, [](std::size_t) { throw std::runtime_error("any"); }),
                  std::runtime_error);
}
