#include "microbench/warp_records.hpp"

#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("warp records: an SM without work is noticed, not averaged in") {
  const std::vector<WarpRecord> records = {
      {0, 0, 10, 0, 10, 1}, {0, 0, 10, 0, 10, 1}, {1, 0, 10, 0, 10, 1}, {1, 0, 10, 0, 10, 1}};
  CHECK(spread_problem(records, 2, 2).empty());
  CHECK(spread_problem(records, 3, 2) == "2 SMs had work, expected 3");
  CHECK(spread_problem(records, 2, 1) == "SM 0 had 2 warps, expected 1");
}

TEST_CASE("warp records: the rate of two lengths has neither start-up nor drain in it") {
  // 100 cycles of overhead, 2 batches every 8 cycles on each SM; SM clocks have different zero points.
  const std::vector<WarpRecord> shorter = {{0, 1000, 1140, 0, 0, 10}, {1, 5000, 5140, 0, 0, 10}};
  const std::vector<WarpRecord> longer = {{0, 2000, 2220, 0, 0, 30}, {1, 7000, 7220, 0, 0, 30}};
  CHECK(batches_per_cycle(shorter, longer) == Approx(20.0 / 80.0));
}

TEST_CASE("warp records: device-wide rate from the first start to the last end; idle warps do not count") {
  const std::vector<WarpRecord> records = {
      {0, 0, 0, 100, 1100, 30}, {1, 0, 0, 200, 2100, 50}, {2, 0, 0, 0, 0, 0}};
  CHECK(batches_per_second(records) == Approx(80 / 2e-6));
}

TEST_CASE("warp records: SM clock from cycles over nanoseconds") {
  const std::vector<WarpRecord> records = {{0, 0, 1980, 0, 1000, 1}, {1, 50, 50 + 1980, 7, 1007, 1}};
  CHECK(clock_of(records) == Approx(1.98e9));
}

}  // namespace tilecast
