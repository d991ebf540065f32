#include "model/analytic/overlap.hpp"

#include "tests/catch.hpp"

using namespace tilecast::analytic;

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

TEST_CASE("overlap (A13): visits to two queues by turns", "[analytic]") {
  CHECK(queued_at_two(1, 30, 1, 20, 200) == Approx(200));
  CHECK(queued_at_two(0.25, 30, 0.5, 20, 200) == Approx(200));
  CHECK(queued_at_two(3, 10, 3, 0, 5) == Approx(30));  // alone is at least the service
  CHECK(queued_at_two(4, 30, 1, 0, 200) == Approx(queued(4, 30, 200)));
  CHECK(queued_at_two(1, 0, 4, 30, 200) == Approx(queued(4, 30, 200)));
  CHECK(queued_at_two(0, 0, 0, 0, 0) == 0);
  // Two that do nothing else meet half of the time at one of them: t = 20 + 2 x 10 x 10 / (t - 10).
  CHECK(queued_at_two(2, 10, 2, 10, 20) == Approx(30));
  // Who is at both half of the time waits half of that: t = 15 + 2 x 3/4 x 10 x 10 / (t - 10).
  CHECK(queued_at_two(2, 10, 2, 10, 15) == Approx(25));
  for (double n = 1; n < 20; n += 1) {
    const double t = queued_at_two(n, 20, 4 * n, 5, 100);  // both nearly as busy
    CHECK(t >= 20 * n);
    CHECK(t >= queued(n, 20, 100) * (1 - 1e-6));
    CHECK(t <= queued_at_two(n + 1, 20, 4 * n + 4, 5, 100));
  }
}

TEST_CASE("overlap (A13): visits to three queues by turns", "[analytic]") {
  const auto at = [](double n, double m, double k, double alone) {
    const Queue queues[] = {{n, 30}, {m, 10}, {k, 20}};
    return queued_at(queues, alone);
  };
  CHECK(queued_at({}, 50) == 50);
  CHECK(at(1, 1, 1, 200) == Approx(200));
  CHECK(at(0, 0, 0, 5) == Approx(30));  // one at each: the longest service
  CHECK(at(4, 1, 1, 200) == Approx(queued(4, 30, 200)));
  CHECK(at(4, 8, 1, 200) == Approx(queued_at_two(4, 30, 8, 10, 200)));
  const double t = at(4, 8, 6, 200);  // who comes finds the others there
  CHECK(t == Approx(200 + 30 * 90 / (t - 90) + 10 * 70 / (t - 70) + 20 * 100 / (t - 100)));
}

TEST_CASE("overlap: two stages, one after the other", "[analytic]") {
  CHECK(pipelined(1, 100, 40) == Approx(140));
  CHECK(pipelined(4, 100, 40) == Approx(110));  // the last one's second stage
  CHECK(pipelined(4, 40, 100) == Approx(110));  // the first one's first
  CHECK(pipelined(0.5, 40, 100) == Approx(140));
}
