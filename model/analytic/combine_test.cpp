#include "model/analytic/combine.hpp"

#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

// Arithmetic of 5 s and memory of 3 s a block; two blocks run.
TripBounds two_blocks() {
  TripBounds t;
  t.fma = Seconds{10};
  t.own_fma = Seconds{5};
  t.l2 = Seconds{6};
  t.own_l2 = Seconds{3};
  return t;
}

}  // namespace

TEST_CASE("combination (A10): data asked for ahead overlap with arithmetic", "[analytic]") {
  auto t = two_blocks();
  CHECK(trip_time(t).value() == 10);
  t.waiting.round_trip = Seconds{12};  // the pipeline of requests is too short
  CHECK(trip_time(t).value() == 12);
}

TEST_CASE("combination (A10): a trip that waits for its own loads takes turns", "[analytic]") {
  auto t = two_blocks();
  t.takes_turns = true;
  t.waiting.exposed = Seconds{1};
  CHECK(trip_time(t).value() == 10);  // 5 + 3 + 1: the other block fills the gaps
  t.waiting.exposed = Seconds{4};
  CHECK(trip_time(t).value() == 12);
  t.fma = t.own_fma;  // one block alone
  t.l2 = t.own_l2;
  CHECK(trip_time(t).value() == 12);
}

TEST_CASE("combination (A10): exposed latency and barriers add to a lone block", "[analytic]") {
  TripBounds t;
  t.fma = t.own_fma = Seconds{5};
  t.barrier = Seconds{2};
  t.waiting.exposed = Seconds{3};
  CHECK(trip_time(t).value() == 10);
}
