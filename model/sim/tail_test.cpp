// S9: who takes the blocks of the tail.

#include <cmath>
#include <utility>

#include "model/analytic/analytic_test_device.hpp"
#include "model/sim/sim.hpp"
#include "model/sim/sim_test_device.hpp"
#include "model/sim/tail_places.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

namespace {

// Places that are free at these times, all with the same deviations.
std::vector<FreePlace> places(const std::vector<Cycle>& free, double own, double stores = 0) {
  std::vector<FreePlace> all;
  for (const Cycle at : free)
    all.push_back({at, at, own, stores});
  return all;
}

}  // namespace

TEST_CASE("tail (S9): it takes the device's first places", "[sim]") {
  // Two places an SM, far apart: a tail of half of all of them comes to the first place of each SM.
  const auto apart = tail_taken(places({1000, 5000}, 10), {.share = 0.5, .parts = 10});
  CHECK(apart.most == Approx(1).margin(0.01));
  CHECK(apart.noticed > 1000);
  // A tenth of the first ones are free 1.28 deviations sooner.
  const auto few = tail_taken(places({1000, 5000}, 10), {.share = 0.05, .parts = 1000});
  CHECK(few.most == Approx(1).margin(0.01));
  CHECK(few.noticed == Approx(1000 - 1.28 * 10).margin(2));
  // Free together: half of all SMs, which are ahead of the others with all that they have, take two each.
  const auto together = tail_taken(places({1000, 1000}, 0, 10), {.share = 0.5, .parts = 10});
  CHECK(together.most == Approx(2 * (1 - std::pow(0.5, 10))).margin(0.01));
  CHECK(together.noticed == Approx(1000).margin(1));
  // Nearly as far apart as SMs deviate: only the first SMs have both before half of all places are free.
  const auto nearly = tail_taken(places({1000, 1030}, 0, 20), {.share = 0.5, .parts = 10});
  CHECK(nearly.most > 1.3);
  CHECK(nearly.most < together.most);
}

TEST_CASE("tail (S9): an SM's own places deviate together only in part", "[sim]") {
  // Eight places free together, of which the tail takes half. Those that deviate with their SM are all early
  // on many of 132 SMs; 0.35 of the variance in common leaves fewer.
  const std::vector<Cycle> eight(8, 1000);
  const TailOfDevice tail{.share = 0.5, .parts = 132};
  const double of_stores = tail_taken(places(eight, 0, 30), tail).most;
  const double own = tail_taken(places(eight, 30, 0), tail).most;
  CHECK(of_stores == Approx(8).margin(0.01));
  CHECK(own > 7.5);
  CHECK(own < of_stores);
  // Of fewer SMs the fullest one has fewer.
  CHECK(tail_taken(places(eight, 30, 0), {.share = 0.5, .parts = 4}).most < own - 0.5);
}

TEST_CASE("tail (S9): deviations grow with the root of the waves", "[sim]") {
  const std::vector<Cycle> free{1000, 1100};
  const double four = tail_taken(places(free, 20), {.share = 0.4, .parts = 132, .waves = 4}).most;
  CHECK(four == Approx(tail_taken(places(free, 40), {.share = 0.4, .parts = 132}).most));
  CHECK(four > tail_taken(places(free, 20), {.share = 0.4, .parts = 132}).most);
}

TEST_CASE("tail (S9): the device notices the ends before its last place one by one", "[sim]") {
  // Four places of each SM free at once, 100 cycles of noticing for each: half of them take 200.
  const TailOfDevice half{.share = 0.5, .parts = 10, .completion = 100};
  CHECK(tail_taken(places({1000, 1000, 1000, 1000}, 1), half).noticed == Approx(1200).margin(10));
  // Of those that come slower all SMs' second ones take 100.
  CHECK(tail_taken(places({1000, 2000, 3000, 4000}, 1), half).noticed == Approx(2100).margin(40));
}

TEST_CASE("tail (S9): places of the last full wave, their deviations and when they are noticed", "[sim]") {
  // Two blocks at once, of two stores each that L2 takes 500 cycles for, one after the other: the first waits
  // for nothing, the others until the SM has room. The first place is free after 1010 cycles with 0.12 x 1000
  // of deviation by stores, the second after 1510 with 0.12 x 1500.
  auto p = round_core();
  p.store_packets_held = 50;
  p.store_bytes_unsent = 1e9;
  SmWork work;
  work.resident = 2;
  work.blocks = 3;
  work.tail_blocks = 1;
  work.completion = 700;
  work.tail_completion = 600;
  work.deviation_walk = 1e9;
  work.deviation_most = 0.036;
  work.share = work.tail_share = {.active_sms = 10};
  auto store = memory_op(StreamOpKind::global_store);
  store.sectors = 100;
  const auto stream = uniform_stream({store}, {run_step(0, 1), run_step(0, 1)}, 1);
  const auto r = simulate_sm(stream, p, work);
  REQUIRE(r.places.size() == 2);
  CHECK(r.block_end.size() == 3);
  CHECK(std::abs(r.places[0].free - 1010) <= 2);
  CHECK(r.places[0].noticed == r.places[0].free);
  CHECK(std::abs(r.places[1].free - 1510) <= 3);
  CHECK(r.places[1].noticed == r.places[0].free + 600);  // the first place is the tail's
  CHECK(r.places[0].stores == Approx(0.12 * 1000).margin(1));
  CHECK(r.places[1].stores == Approx(0.12 * 1500).margin(1));
  CHECK(r.places[1].own == Approx(0.036 * 1510).margin(1));
  p.store_packets_held = 1000;  // nobody waits
  CHECK(simulate_sm(stream, p, work).places[1].stores == 0);
}

TEST_CASE("tail (S9): other tails go on where the first one begins, with the same results", "[sim]") {
  // Two blocks at once that load, multiply and store, long enough that the copy of the SM is renewed; loads
  // of random latency.
  auto p = round_core();
  p.l2 = {200, 600};
  auto load = memory_op(Kind::global_load, 0), store = memory_op(Kind::global_store);
  load.sectors = store.sectors = 16;
  const auto stream = uniform_stream({load, waiting(fma_op(4), 1), store},
                                     {loop_step(2, 300), run_step(0, 1), run_step(1, 1), run_step(2, 1)}, 2);
  const auto with_tail = [](int blocks) {
    SmWork work;
    work.resident = 2;
    work.blocks = 6 + blocks;
    work.tail_blocks = blocks;
    work.start = {0, 5000};
    work.completion = 700;
    work.tail_completion = 700 / blocks;
    work.share = {.active_sms = 10};
    work.tail_share = {.active_sms = 10.0 / blocks};
    work.kind_of.assign(static_cast<std::size_t>(work.blocks), 0);
    return work;
  };
  SmSimulator simulator(stream, p);
  const auto one = with_tail(1), two = with_tail(2);
  const auto kept = simulator.run_keeping(one);
  for (const auto& [work, r] :
       {std::pair(one, kept), {one, simulator.run_tail(one)}, {two, simulator.run_tail(two)}}) {
    const auto whole = simulate_sm(stream, p, work);
    CHECK(whole.cycles > 40000);
    CHECK(r.block_end == whole.block_end);
    CHECK(r.issued_by_end == whole.issued_by_end);
    CHECK(r.stores_done == whole.stores_done);
    CHECK(r.completed == whole.completed);
    CHECK(r.stalls.warp_cycles == whole.stalls.warp_cycles);
    CHECK(r.simulated == whole.simulated);
  }
}

TEST_CASE("tail (S9): a kernel ends with the SM that takes most of its tail", "[sim]") {
  // Ten SMs, two blocks at once on each, whose places are free nearly together: of a tail of nine blocks some
  // SM takes two, of two blocks hardly any.
  auto kernel = round_kernel(20 + 9, 1);
  const auto stream = [](int trips) {
    return uniform_stream({fma_op(4)}, {loop_step(1, trips), run_step(0, 1)}, 8);
  };
  const auto time = [&](int trips) {
    return simulate(kernel, stream(trips), sim_device()).prediction.time.value();
  };
  const double nine = time(4000);
  kernel.launch.blocks = 20 + 2;
  CHECK(nine > time(4000));
  // With clusters of eight on 120 SMs, 15 parts.
  auto device = sim_device();
  device.sm_count.set(120);
  device.cluster_sms_over_blocks = {.x = {2, 8}, .y = {120, 120}};
  kernel = round_kernel(240 + 8 * 6, 1);
  kernel.launch.cluster = 8;
  const double six = simulate(kernel, stream(1000), device).prediction.time.value();
  kernel.launch.blocks = 240 + 8;
  CHECK(six > simulate(kernel, stream(1000), device).prediction.time.value());
}

TEST_CASE("tail (S9): its last block begins when the last of the places that it fills is free", "[sim]") {
  // One block at once, 4000 cycles of each, which deviate by 0.036 of that. Few SMs that the tail fills are
  // those whose places are free soonest, of nearly all SMs the last ones count.
  auto device = sim_device();
  device.max_blocks_per_sm.set(1);
  auto kernel = round_kernel(10 + 1, 1);
  const auto stream = uniform_stream({fma_op(4)}, {loop_step(1, 1000), run_step(0, 1)}, 1);
  const auto cycles = [&](std::int64_t tail) {
    kernel.launch.blocks = 10 + tail;
    return simulate(kernel, stream, device).prediction.time.value() * 1e9;
  };
  CHECK(cycles(5) - cycles(1) == Approx(1.28 * 0.036 * 4000).epsilon(0.15));
  CHECK(cycles(9) - cycles(5) == Approx(cycles(5) - cycles(1)).epsilon(0.15));
}
