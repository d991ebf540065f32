#include "model/analytic/overlap.hpp"

#include "tests/catch.hpp"

using namespace tilecast::analytic;

TEST_CASE("overlap (A13): one alone takes its own time, many the resource's", "[analytic]") {
  CHECK(overlapped(1, 10, 40) == Approx(40));
  CHECK(overlapped(1, 10, 10) == Approx(10));
  CHECK(overlapped(4, 10, 10) == Approx(40));  // never waits: no gaps to fill
  CHECK(overlapped(4, 10, 5) == Approx(40));   // alone is at least the service
  CHECK(overlapped(64, 10, 40) == Approx(640).epsilon(1e-6));
  CHECK(overlapped(3, 0, 40) == Approx(40));  // needs nothing of the resource
  CHECK(overlapped(0.25, 10, 40) == Approx(40));
}

TEST_CASE("overlap (A13): two that use half of their time leave a quarter idle", "[analytic]") {
  // 20 of service in a time of which (1/2)^2 is idle: 20 / (3/4).
  CHECK(overlapped(2, 10, 20) == Approx(20 / 0.75));
}

TEST_CASE("overlap (A13): more customers, more service or more waiting never take less time", "[analytic]") {
  for (double n = 1; n < 20; n += 1) {
    for (double alone = 10; alone < 400; alone *= 1.3) {
      CHECK(overlapped(n + 1, 10, alone) >= overlapped(n, 10, alone) * (1 - 1e-12));
      CHECK(overlapped(n, 10, 1.3 * alone) >= overlapped(n, 10, alone) * (1 - 1e-12));
      CHECK(overlapped(n, 10, alone) >= n * 10 * (1 - 1e-12));
      CHECK(overlapped(n, 10, alone) >= alone * (1 - 1e-12));
    }
  }
}
