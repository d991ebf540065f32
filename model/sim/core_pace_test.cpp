#include "model/sim/core_pace.hpp"

#include <cmath>

#include "model/sim/sim_test_device.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;

TEST_CASE("core pace (S18): warps of a scheduler fill each other's stall counts", "[sim]") {
  // 4000 multiply-adds that wait 4 cycles each, of four warps: one on each scheduler and block.
  const auto stream = uniform_stream({fma_op(4)}, {loop_step(1, 4000), run_step(0, 1)}, 4);
  const auto paces = core_paces(stream, 10);
  std::vector<double> blocks;
  for (const auto& pace : paces)
    blocks.push_back(pace.blocks);
  CHECK(blocks == std::vector<double>{1, 2, 3, 4, 6, 8, 10});
  for (const auto& pace : paces) {
    INFO(pace.blocks << " blocks");
    // Four go first, then the next four: a multiply-add of each in four cycles.
    CHECK(pace.first == Approx(16000 * std::ceil(pace.blocks / 4)).epsilon(0.01));
    // In later waves there are always four.
    CHECK(pace.later == Approx(std::max(16000.0, 4000 * pace.blocks)).epsilon(0.05));
    CHECK(pace.ends_apart <= pace.first);
  }
  CHECK(paces.front().ends_apart == 0);
}

TEST_CASE("core pace (S18): memory answers at once", "[sim]") {
  auto load = memory_op(StreamOpKind::global_load, 0);
  load.sectors = 4;
  load.lines = 1;
  const auto stream = uniform_stream({load, waiting(fma_op(), 1)}, {loop_step(1, 100), run_step(0, 2)}, 1);
  const auto paces = core_paces(stream, 1);
  REQUIRE(paces.size() == 1);
  // Its way through the memory pipe, but no latency of L2 (some 280 cycles).
  CHECK(paces[0].first < 100 * 50);
  CHECK(paces[0].first > 100 * 10);
}

TEST_CASE("core pace (S18): a fence behind stores takes as long as its way to the pipe", "[sim]") {
  auto store = memory_op(StreamOpKind::global_store);
  store.sectors = 4;
  StreamOp fence;
  fence.kind = StreamOpKind::fence;
  fence.stall = 1;
  const auto stream = uniform_stream({store, fence, fma_op()}, {loop_step(1, 100), run_step(0, 3)}, 1);
  CHECK(core_paces(stream, 1).front().first < 100 * 40);  // S12: 257 and more
}

TEST_CASE("core pace (S18): a block waits for data as far as it has nothing else to do", "[sim]") {
  auto load = memory_op(StreamOpKind::global_load, 0);
  load.sectors = 4;
  load.lines = 1;
  // A load, 10 multiply-adds of 15 cycles, and one that waits for the data.
  const auto stream = uniform_stream({load, fma_op(15), waiting(fma_op(), 1)},
                                     {run_step(0, 1), loop_step(1, 10), run_step(1, 1), run_step(2, 1)}, 1);
  const auto at_once = core_paces(stream, 1).front().first;
  CHECK(at_once == Approx(152).margin(5));
  const auto waits = core_waits(stream);
  REQUIRE(waits.size() == 2);
  CHECK(waits[0].latency == 300);
  CHECK(waits[0].cycles == Approx(302).margin(20));
  CHECK(waits[1].latency == 700);
  CHECK(waits[1].cycles == waits[0].cycles + 400);
}

TEST_CASE("core pace (S18): what longer latencies take less is no wait", "[sim]") {
  // Eight warps that each load, compute 50 cycles, read shared memory 96 times and wait: two of a scheduler
  // may do so at the same time, or one while the other one waits.
  auto load = memory_op(StreamOpKind::global_load, 0);
  load.sectors = 4;
  load.lines = 1;
  const auto shared = memory_op(StreamOpKind::shared_load, 1);
  const auto stream = uniform_stream({load, shared, waiting(fma_op(), 1), fma_op(), waiting(fma_op(), 2)},
                                     {loop_step(7, 40), run_step(0, 1), loop_step(1, 50), run_step(3, 1),
                                      loop_step(1, 96), run_step(1, 1), run_step(4, 1), run_step(2, 1)},
                                     8);
  CoreParameters p;  // 700 cycles for all, and nothing else beyond the SM
  constexpr double unlimited = 1e9;
  p.clock = 1;
  p.port_bytes_per_cycle = p.l2_read = p.l2_write = p.dram_read = p.dram_write = unlimited;
  p.line_fetch = 0;
  p.l2 = p.dram = {700, 700};
  const auto in_step = static_cast<double>(simulate_sm(stream, p, {}).cycles);
  const auto waits = core_waits(stream);
  CHECK(waits[1].cycles < 0.9 * in_step);
  // A trip of a lone warp: its wait or its multiply-adds, as the latency is the longer one.
  CHECK(waits[1].cycles > 40 * 700);
}

TEST_CASE("core pace (S18): blocks of one warp come to the schedulers in turn", "[sim]") {
  const auto stream = uniform_stream({fma_op(1)}, {loop_step(1, 4000), run_step(0, 1)}, 1);
  const auto paces = core_paces(stream, 8);
  REQUIRE(paces.size() == 3);
  CHECK(paces[0].blocks == 1);
  CHECK(paces[1].blocks == 4);
  CHECK(paces[2].blocks == 8);
  // An FFMA a cycle: four blocks have a scheduler each, eight share them.
  CHECK(paces[1].first == Approx(paces[0].first).epsilon(0.01));
  CHECK(paces[2].first == Approx(2 * paces[0].first).epsilon(0.01));
}

TEST_CASE("core pace (S18): a stream that cannot be run is refused", "[sim]") {
  CHECK_THROWS_AS(core_paces(uniform_stream({fma_op()}, {run_step(0, 2)}, 1), 1), InputError);
}

TEST_CASE("core paces (S18): copies to L1's half of the store take longer, one block's and several's",
          "[sim]") {
  auto copy = memory_op(StreamOpKind::async_copy);
  copy.sectors = copy.lines = copy.wavefronts = copy.written = copy.by_line = 4;
  copy.width_bytes = 16;
  copy.l1_hit = 1;  // 4 cycles of the pipe each, 7.6 in L1's half, and one right behind another
  const auto stream = uniform_stream({copy}, {loop_step(1, 1000), run_step(0, 1)}, 4);
  const auto paces = [&](const InL1Half& share) { return core_paces(stream, 2, share); };
  const auto none = paces({}), both = paces({.alone = 1, .several = 0.5});
  CHECK(both[0].first / none[0].first == Approx(8.6 / 5).epsilon(0.01));
  CHECK(both[1].first / none[1].first == Approx(6.8 / 5).epsilon(0.01));
  CHECK(core_waits(stream, {.alone = 1})[0].cycles > 1.5 * core_waits(stream)[0].cycles);
}
