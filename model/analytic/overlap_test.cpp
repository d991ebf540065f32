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

TEST_CASE("overlap (A13): short visits to a queue", "[analytic]") {
  CHECK(queued(1, 30, 200) == Approx(200));
  CHECK(queued(3, 10, 5) == Approx(30));  // alone is at least the service
  CHECK(queued(3, 0, 40) == Approx(40));
  for (double n = 2; n < 40; n *= 1.5) {
    const double t = queued(n, 30, 200), waiting = t - 170;
    CHECK(waiting == Approx(30 * (1 + (n - 1) * waiting / t)));  // those who came before
    CHECK(t >= n * 30);
    CHECK(queued(n + 1, 30, 200) > t);
  }
}

TEST_CASE("overlap: two stages, one after the other", "[analytic]") {
  CHECK(pipelined(1, 100, 40) == Approx(140));
  CHECK(pipelined(4, 100, 40) == Approx(110));  // the last one's second stage
  CHECK(pipelined(4, 40, 100) == Approx(110));  // the first one's first
  CHECK(pipelined(0.5, 40, 100) == Approx(140));
}
