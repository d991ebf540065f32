#include "model/support/statistics.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("quantile: linear between ranks, whatever the order", "[support]") {
  CHECK(quantile(std::vector<double>{30, 0, 20, 10}, 0.1) == Approx(3));
  CHECK(quantile(std::vector<double>{7}, 0.9) == 7);
  CHECK(median(std::vector<double>{5, 1, 2, 4}) == Approx(3));
}
