// S9: who takes the blocks of the tail.

#include <cmath>
#include <cstdlib>
#include <limits>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/waves.hpp"
#include "model/sim/other_tail.hpp"
#include "model/sim/sim.hpp"
#include "model/sim/sim_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;

TEST_CASE("tail (S9): an SM takes more than its share where its places are free nearly together", "[sim]") {
  // Two blocks at once, of four instructions on one scheduler: the second ends four cycles after the first.
  SmWork work;
  work.resident = 2;
  work.blocks = 3;
  work.tail_blocks = 1;
  work.share = work.tail_share = {.active_sms = 10};
  const auto stream =
      uniform_stream({fma_op()}, {run_step(0, 1), run_step(0, 1), run_step(0, 1), run_step(0, 1)}, 1);
  const auto blocks = [&] { return simulate_sm(stream, round_core(), work).block_end.size(); };
  CHECK(blocks() == 3);
  work.tail_most = 2;
  work.tail_of_all = 10;
  work.deviation_walk = 1e9;
  work.deviation_most = 0.033;
  // After 3 and 4 cycles: 7 - 2.6 x 0.033 x 4 and 3 + z x 0.033 x 3 are equal for z = 36.9.
  work.tail_gone = 38;
  CHECK(blocks() == 4);
  CHECK(*simulate_sm(stream, round_core(), work).reach == Approx((38 * 0.033 * 3 + 2.6 * 0.033 * 4) / 4));
  CHECK(simulate_sm(stream, round_core(), with_other_tail(work, simulate_sm(stream, round_core(), work)))
            .block_end.size() == 3);
  work.tail_gone = 36;
  CHECK(blocks() == 3);
  const auto without = simulate_sm(stream, round_core(), work);
  CHECK(*without.reach == Approx((36 * 0.033 * 3 + 2.6 * 0.033 * 4) / 4));
  CHECK(simulate_sm(stream, round_core(), with_other_tail(work, without)).block_end.size() == 4);
}

TEST_CASE("tail (S9): the nearer it is to going the other way the more that counts", "[sim]") {
  SmResult simulated;
  CHECK(share_of_other_tail(simulated) == 0);  // there was nothing to decide
  const auto share = [&](double reach) {
    simulated.reach = reach;
    return share_of_other_tail(simulated);
  };
  CHECK(share(1) == Approx(0.5));
  CHECK(share(std::exp(0.5)) == Approx(0.1587).epsilon(1e-3));
  CHECK(share(std::exp(-0.5)) == Approx(share(std::exp(0.5))));
  CHECK(share(3) == 0);
  CHECK(share(std::numeric_limits<double>::infinity()) == 0);
}

TEST_CASE("tail (S9): places are free the less evenly the longer all SMs wait for L2 to take stores",
          "[sim]") {
  // Two blocks at once, of two stores each that L2 takes 500 cycles for, one after the other: the first waits
  // for nothing, the others until the SM has room. The first place is free after 1010 cycles, with a
  // deviation of 0.12 x 1000 (and 0.033 x 1010: 125), the second after 1510, of 0.12 x 1500 (187): on the
  // first of all SMs after 1024, 0.11 x 125 later.
  auto p = round_core();
  p.store_packets_held = 50;
  SmWork work;
  work.resident = 2;
  work.blocks = 3;
  work.tail_blocks = 1;
  work.tail_most = 2;
  work.tail_of_all = 10;
  work.deviation_walk = 1e9;
  work.deviation_most = 0.033;
  work.share = work.tail_share = {.active_sms = 10};
  auto store = memory_op(StreamOpKind::global_store);
  store.sectors = 100;
  const auto stream = uniform_stream({store}, {run_step(0, 1), run_step(0, 1)}, 1);
  const auto blocks = [&] { return simulate_sm(stream, p, work).block_end.size(); };
  work.tail_gone = 0.05;
  CHECK(blocks() == 3);
  work.tail_gone = 0.18;
  CHECK(blocks() == 4);
  // An SM that takes this one, too, has its place not after 1510 but when the tail is gone, 0.18 x 125 after
  // 1010, and all of it ends so much sooner.
  const auto ahead = simulate_sm(stream, p, work);
  CHECK(std::abs(ahead.ahead - 477) <= 1);
  CHECK(ahead.share_completed < ahead.completed - ahead.ahead);
  p.store_packets_held = 1000;  // nobody waits
  CHECK(blocks() == 3);
}

TEST_CASE("tail (S9): how nearly depends on the share of all SMs that fill the last place", "[sim]") {
  // Ten SMs, two blocks of 192 cycles on each, the second 24 behind the first. A tail of six blocks has
  // 0.036 (2.6 + 0.24) 192 = 20 cycles between the first and the last place that is filled, of nine 27.
  auto kernel = round_kernel(20 + 6, 1);
  const auto stream = uniform_stream({fma_op(4)}, {loop_step(1, 48), run_step(0, 1)}, 1);
  CHECK(simulate(kernel, stream, sim_device()).sm.block_end.size() == 3);
  kernel.launch.blocks = 20 + 9;
  CHECK(simulate(kernel, stream, sim_device()).sm.block_end.size() == 4);

  // Two clusters of two blocks, five parts of two SMs: a second one comes to the first part where its places
  // are free within 3.5 (1.16 + 0.24) sqrt(4000) = 310 cycles, at most 0.036 (1.16 + 0.24) 4000 = 202.
  kernel.launch.cluster = 2;
  kernel.launch.blocks = 20 + 4;
  CHECK(simulate(kernel, stream, sim_device()).sm.block_end.size() == 3);
  const auto longer = uniform_stream({fma_op(4)}, {loop_step(1, 1000), run_step(0, 1)}, 1);
  CHECK(simulate(kernel, longer, sim_device()).sm.block_end.size() == 4);

  // So many clusters of two behind one wave of `at_once` blocks an SM of 32 threads, whose places are all
  // free nearly together: at most one more than the even share of one, and as many as there are.
  auto device = sim_device();
  kernel.launch.threads = 32;
  const auto most = [&](std::int64_t clusters, int at_once) {
    device.max_blocks_per_sm.set(at_once);
    kernel.launch.blocks = 10 * at_once + 2 * clusters;
    return simulate(kernel, longer, device).sm.block_end.size() - static_cast<std::size_t>(at_once);
  };
  CHECK(most(1, 3) == 1);
  CHECK(most(4, 3) == 2);
  // Of pairs on each scheduler one comes to each of the four, of more clusters two to some.
  CHECK(most(2, 8) == 2);
  CHECK(most(5, 8) <= 4);
  CHECK(most(6, 8) > 4);
}

TEST_CASE("tail (S9): a part of the device that large clusters leave first takes several more", "[sim]") {
  // 120 SMs, two blocks on each: 15 parts for clusters of eight, the first of which is 1.74 deviations of
  // 0.019 sooner than the median one. The second of an SM's blocks begins 3.2 x 120 / 8 = 48 cycles behind
  // the first. Six clusters more are gone when 0.4 of the parts have one: 0.019 (1.74 - 0.24) = 0.0285 of 200
  // cycles are too short for a second one to come to the first part, of 4000 they are 114. One cluster more
  // comes to one part alone.
  auto device = sim_device();
  device.sm_count.set(120);
  device.cluster_sms_over_blocks = {.x = {2, 8}, .y = {120, 120}};
  const auto blocks = [&](std::int64_t clusters, std::int64_t trips) {
    auto kernel = round_kernel(240 + 8 * clusters, 1);
    kernel.launch.cluster = 8;
    const auto stream = uniform_stream({fma_op(4)}, {loop_step(1, trips), run_step(0, 1)}, 1);
    return simulate(kernel, stream, device).sm.block_end.size();
  };
  CHECK(blocks(6, 50) == 3);
  CHECK(blocks(6, 1000) == 4);
  CHECK(blocks(1, 1000) == 3);
}

TEST_CASE("tail (S9): its last block begins when the last of the places that it fills is free", "[sim]") {
  // One block at once, 1000 cycles of each; places deviate by 0.1 of that. Where the tail fills few SMs they
  // are those whose places are free two deviations sooner, where it fills nearly all two later.
  const auto stream = uniform_stream({fma_op(4)}, {loop_step(1, 250), run_step(0, 1)}, 1);
  SmWork work;
  work.resident = work.tail_blocks = work.tail_most = 1;
  work.blocks = 2;
  work.tail_of_all = 10;
  work.deviation_walk = 1e9;
  work.deviation_most = 0.1;
  const auto p = round_core();
  const auto even = simulate_sm(stream, p, work);
  work.tail_gone = -2;
  CHECK(simulate_sm(stream, p, work).share_ended == even.share_ended);
  work.tail_in_step = true;
  const auto few = simulate_sm(stream, p, work);
  CHECK(std::abs(even.share_ended - few.share_ended - 200) <= 1);
  CHECK(few.ahead == even.share_ended - few.share_ended);
  work.tail_gone = 2;
  CHECK(std::abs(simulate_sm(stream, p, work).share_ended - even.share_ended - 200) <= 1);
}
