#include "microbench/launch_reduction.hpp"

#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("launch reduction: blocks that stay 10 us, 40 of 10 SMs at a time, are four an SM") {
  // 1 us of launch and drain; 400 blocks: ten rounds, 1200: thirty.
  const auto found =
      average_resident(10e-6, 400, std::vector{101e-6, 102e-6}, 1200, std::vector{301e-6, 302e-6}, 10);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == Approx(4));
  CHECK(found[1] == Approx(4));
}

TEST_CASE("launch reduction: a first load of 500 cycles before later ones of 200") {
  const double clock = 2e9, launch = 0.5e-6;
  const std::vector none{launch}, one{launch + 500 / clock}, four{launch + (500 + 3 * 200) / clock};
  const auto found = first_beyond_later(none, one, four, 4, clock);
  REQUIRE(found.size() == 1);
  CHECK(found[0] == Approx(300));
}

TEST_CASE("launch reduction: what more code adds to a launch, for as many repeats as both have") {
  const double clock = 2e9;
  const std::vector shorter{1e-6, 1.1e-6}, longer{2e-6, 1.6e-6, 9e-6};
  const auto found = cycles_beyond(shorter, longer, clock);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == Approx(2000));
  CHECK(found[1] == Approx(1000));
}

TEST_CASE("launch reduction: a rate between two runs that used different SMs") {
  const auto record = [](unsigned sm, unsigned long long start, unsigned long long end,
                         unsigned long long batches) { return WarpRecord{sm, start, end, 0, 0, batches}; };
  // Two warps of 8 batches in 130 cycles on SM 3; of 40 in 450 on SM 7: 64 batches in 320 cycles.
  const std::vector shorter{record(3, 100, 220, 8), record(3, 105, 230, 8)};
  const std::vector longer{record(7, 900, 1350, 40), record(7, 910, 1340, 40)};
  CHECK(batches_between(shorter, longer) == Approx(0.2));
}

}  // namespace tilecast
