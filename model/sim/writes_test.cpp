// S6. Reads beside what DRAM writes, and stores in step.

#include <algorithm>
#include <vector>

#include "model/sim/memory_system.hpp"
#include "model/sim/sim.hpp"
#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;

TEST_CASE("memory (S6): reads of DRAM come later beside writes than beside as many reads", "[sim]") {
  auto p = round_core();
  const Curve curve{.x = {0, 1}, .y = {500, 500}};  // whatever is read
  p.dram.over_load = p.dram.low_over_load = p.dram.high_over_load = &curve;
  const auto come = [&](double share) {
    MemorySystem memory(p, {.active_sms = 1}, 1);
    // DRAM takes 32 bytes a cycle.
    memory.store(0, {.sectors = 100, .dram_share = share});
    double sum = 0;
    constexpr int reads = 2000;
    for (int i = 0; i < reads; ++i)
      sum += static_cast<double>(memory.load(100, 0, {.sectors = 1e-6, .dram_share = 1}) - 100);
    return sum / reads;
  };
  const double alone = come(0);
  CHECK(alone == Approx(501).margin(1));
  CHECK(come(0.22) - alone == Approx(31).margin(10));
  CHECK(come(0.45) - alone == Approx(125).margin(15));  // by median 93, by p90 272
  CHECK(come(0.67) > come(0.45) + 150);
}

TEST_CASE("memory (S6): in step, DRAM writes what was stored before it reads what is asked for behind that",
          "[sim]") {
  auto p = round_core();
  const Curve curve{.x = {0, 1}, .y = {500, 500}};
  p.dram.over_load = p.dram.low_over_load = p.dram.high_over_load = &curve;
  const auto come = [&](bool in_step, Cycle stored, double later) {
    MemorySystem memory(p, {.active_sms = 1, .in_step = in_step}, 1);
    memory.store(stored, {.sectors = 1000, .dram_share = 1});  // 1000 cycles of DRAM
    const Cycle at = memory.load(2000, 0, {.sectors = 1e-6, .dram_share = 1});
    CHECK(memory.behind_writes() == Approx(later));
    return at;
  };
  // DRAM writes in half of the time so far, by which the median of reads is 160.5 cycles later at any time.
  CHECK(come(true, 1700, 700 - 160.5) == come(false, 1700, 0) + 540);
  CHECK(come(true, 900, 0) == come(false, 900, 0));  // written by then
}

TEST_CASE(
    "stores (S6): blocks alone on their SMs stay in step with other SMs' as far as these do not deviate",
    "[sim]") {
  auto p = round_core();
  p.l2_write = 640;
  auto store = memory_op(StreamOpKind::global_store);
  store.sectors = 400;
  std::vector<StreamOp> ops(404, store);  // computes for 4000 cycles, stores four times
  std::fill_n(ops.begin(), 400, fma_op(10));
  const auto stream = uniform_stream(ops, {run_step(0, 404)}, 1);
  const auto cycles = [&](bool in_step, double deviation) {
    SmWork work;
    work.blocks = 2;
    work.share.active_sms = 20;  // 32 of the port's 64 bytes a cycle
    work.stays_in_step = in_step;
    work.deviation_walk = 1e9;
    work.deviation_most = deviation;
    return static_cast<double>(simulate_sm(stream, p, work).stores_done);
  };
  const double apart = cycles(false, 0), together = cycles(true, 0);
  // Three stores of the first block waited for room: 0.12 of their 1200 cycles.
  CHECK(together - apart == Approx(1600 - 1.128 * 144 - 800).margin(10));
  CHECK(cycles(true, 0.01) < together - 5);
  CHECK(cycles(true, 0.01) > apart + 5);
  CHECK(cycles(true, 1) == apart);
}

TEST_CASE("stores (S6): of many blocks at once the later ones store in step as far as they begin together",
          "[sim]") {
  auto p = round_core();
  p.l2_write = 640;
  auto store = memory_op(StreamOpKind::global_store);
  store.sectors = 40;
  std::vector<StreamOp> ops(401, store);  // computes for 4000 cycles, stores once
  std::fill_n(ops.begin(), 400, fma_op(10));
  const auto stream = uniform_stream(ops, {run_step(0, 401)}, 1);
  // Cycles that L2 takes for the second wave's stores, of 64 B/cycle of the port or 32 of this SM's share.
  const auto second = [&](int at_once, Cycle apart) {
    SmWork work;
    work.resident = at_once;
    work.blocks = 2 * at_once;
    work.share.active_sms = 20;
    for (int b = 0; b < at_once; ++b)
      work.start.push_back(b * apart);
    const auto result = simulate_sm(stream, p, work);
    return static_cast<double>(result.stores_done - result.cycles);
  };
  const double alone = second(6, 700);  // spread over a wave: the port's pace
  CHECK(alone == Approx(31).margin(2));
  CHECK(second(5, 0) == alone);  // few blocks say nothing of other SMs
  CHECK(second(6, 0) > alone + 100);
}

TEST_CASE("stores (S6): when SMs with a block less have stored theirs, those that are left share L2",
          "[sim]") {
  auto p = round_core();
  p.l2_write = 640;
  auto store = memory_op(StreamOpKind::global_store);
  store.sectors = 20;  // 10 of the port's cycles
  const auto stream = uniform_stream(std::vector<StreamOp>(100, store), {run_step(0, 100)}, 1);
  SmWork work;
  work.share.active_sms = work.share.storing_sms = 40;  // 16 bytes a cycle
  const auto done = [&] { return static_cast<double>(simulate_sm(stream, p, work).stores_done); };
  CHECK(done() == Approx(4000).epsilon(0.02));
  work.others_stored = 2000;
  work.after_others = work.share;
  work.after_others.storing_sms = 10;  // what is in L2's queue by then stays there
  CHECK(done() == Approx(2000 + 1000).epsilon(0.05));
  work.others_stored = 1;
  CHECK(done() == Approx(1000).epsilon(0.05));
}

TEST_CASE("simulate (S6): a single wave's SMs with a block more store at their own pace in the end",
          "[sim]") {
  auto kernel = round_kernel(20, 1);  // two blocks on each of ten SMs
  auto store = memory_op(StreamOpKind::global_store);
  store.sectors = 100;
  const auto stream = uniform_stream(std::vector<StreamOp>(200, store), {run_step(0, 200)}, 1);
  const auto done = [&](std::int64_t blocks) {
    kernel.launch.blocks = blocks;
    return static_cast<double>(simulate(kernel, stream, sim_device()).sm.stores_done);
  };
  const double one = done(10), two = done(20);
  CHECK(done(11) == Approx(one + 20000).epsilon(0.02));  // the port's cycles of a block
  CHECK(done(15) > done(11));
  CHECK(done(15) < two);
}

TEST_CASE("simulate (S6, S13): DRAM writes what the grid's blocks store on average", "[sim]") {
  auto kernel = round_kernel(20, 1);
  auto store = memory_op(StreamOpKind::global_store);
  store.sectors = 100;
  auto stream = uniform_stream({store}, {run_step(0, 1)}, 1);
  stream.stored_bytes = 1e9 / 20;
  const auto busy = [&](double written) {
    kernel.phases[0].stored = Bytes{written / 20};
    kernel.streams = {{"output", true, Bytes{written}, Bytes{written}}};
    return simulate(kernel, stream, sim_device()).sm.dram_cycles;
  };
  CHECK(busy(1e9) > 0);
  CHECK(busy(0.6e9) == Approx(0.6 * busy(1e9)));
}

TEST_CASE("simulate (S6): L2 takes lines that blocks fill at its rate of these", "[sim]") {
  auto device = sim_device();
  auto kernel = round_kernel(20, 1);
  auto store = memory_op(StreamOpKind::global_store);
  store.sectors = 100;
  auto stream = uniform_stream(std::vector<StreamOp>(200, store), {run_step(0, 200)}, 1);
  const auto done = [&] { return static_cast<double>(simulate(kernel, stream, device).sm.stores_done); };
  const double of_stream = done();
  const auto core = core_parameters(device);
  const double of_sm = core.l2_write / core.sms;  // bytes a cycle
  device.store_rate_filled_by_block_over_piece_and_sms = {
      .rows = {32, 128}, .columns = {1, core.sms}, .y = {of_sm, of_sm / 2, of_sm, of_sm / 1.25}};
  CHECK(core_parameters(device).block_store_cost == Approx(1.25));
  CHECK(done() == Approx(1.25 * of_stream).epsilon(0.02));
  // Both are relative to a stream's.
  stream.stored_again = 1;
  const double again = done();
  device.store_rate_filled_by_block_over_piece_and_sms = {};
  CHECK(again >= done());
}
