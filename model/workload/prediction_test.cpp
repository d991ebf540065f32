#include "model/workload/prediction.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("both models: the geometric mean of their times and ends, with the bounds of the analytic one",
          "[prediction][B1]") {
  const Prediction sim{
      .time = Seconds{4}, .low = Seconds{2}, .high = Seconds{8}, .limiter = "issued", .bounds = {}};
  const Prediction analytic{.time = Seconds{9},
                            .low = Seconds{8},
                            .high = Seconds{18},
                            .limiter = "l2",
                            .code = CodeSource::similar,
                            .bounds = {{"l2", "A4", Seconds{7}}}};
  const auto both = between(sim, analytic);
  CHECK(both.time.value() == Approx(6));
  CHECK(both.low.value() == Approx(4));
  CHECK(both.high.value() == Approx(12));
  CHECK(both.limiter == "l2");
  CHECK(both.code == CodeSource::similar);
  REQUIRE(both.bounds.size() == 1);
  CHECK(both.bounds.front().equation == "A4");
}
