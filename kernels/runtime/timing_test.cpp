#include "kernels/runtime/timing.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("timing: percentiles interpolate between order statistics") {
  // Five values at positions 0..4: the 10th percentile lies at 0.4, the 90th at 3.6.
  const auto timing = summarise_samples({5.0, 1.0, 3.0, 2.0, 4.0});
  CHECK(timing.median_s == 3.0);
  CHECK(timing.p10_s == Approx(1.4));
  CHECK(timing.p90_s == Approx(4.6));
  CHECK(timing.samples_s.front() == 5.0);  // in the order they were taken
}

TEST_CASE("timing: as many kernels a replay as the target needs, within limits") {
  CHECK(graph_nodes(0.5, 0.000244140625, 20'000) == 2048);
  CHECK(graph_nodes(2e-3, 3e-3, 20'000) == 1);
  CHECK(graph_nodes(2e-3, 1.5e-3, 20'000) == 2);
  CHECK(graph_nodes(2e-3, 0.0, 20'000) == 20'000);  // below the event's resolution
}
