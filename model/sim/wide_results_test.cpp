// S4: 128-bit results of shared loads.

#include <cmath>

#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

TEST_CASE("wide results (S4): they stop a scheduler whose own results leave the write ports no gaps",
          "[sim]") {
  std::vector<StreamOp> ops(16, fma_op());
  for (auto& op : ops)
    op.stall = 1;
  auto load = memory_op(Kind::shared_load, 0);
  load.stall = 1;
  load.width_bytes = 16;
  load.wavefronts = 2;
  ops.push_back(load);
  auto p = round_core();
  p.fp32_pipes = 2;
  const auto run = [&](int hold) {
    p.wide_return_hold = hold;
    return cycles_of_block(uniform_stream(ops, {loop_step(1, 100), run_step(0, 17)}, 1), p);
  };
  // The 1700th instruction is issued in cycle 1699. A gap in 17 cycles, the load's own: two cycles more for
  // each load but the last few, whose wait has not ended.
  CHECK(run(0) == 1699);
  CHECK(run(2) >= 1699 + 2 * 95);
  CHECK(run(2) <= 1699 + 2 * 100);
  // One register a cycle is written among the others' results.
  ops[16].wavefronts = 4;
  CHECK(run(2) == 1699);
  ops[16].wavefronts = 2;
  // Two more gaps a load: it need not stop anybody.
  ops[8].stall = 3;
  CHECK(run(0) == 1899);
  CHECK(run(2) == 1899);
}

TEST_CASE("wide results (S4): they are there when registers can be written", "[sim]") {
  auto load = memory_op(Kind::shared_load, 0);
  load.width_bytes = 16;
  auto p = round_core();
  p.fp32_pipes = 2;
  // Two warps of a scheduler: one loads and waits, the other one's FMAs leave no gaps.
  InstructionStream stream;
  stream.ops = {load, waiting(fma_op(), 1)};
  stream.ops.resize(2 + 100, fma_op());
  stream.roles = {{"adds", {run_step(2, 100)}}, {"loads", {run_step(0, 2)}}};
  stream.role_of_warp = {0, 1};
  const auto waited = [&](int hold) {
    p.wide_return_hold = hold;
    SmWork work;
    work.extrapolate = false;
    return simulate_sm(stream, p, work).stalls[Cause::short_scoreboard];
  };
  CHECK(waited(0) == 20 - 2);
  // It leaves the pipe in cycle 10 and would be written in 13. Without gaps it stops the scheduler in 34 and
  // 35, which are booked there, and not to the cycle of the stall count.
  CHECK(waited(2) == waited(0) + 36 - 13 - 1);
}

TEST_CASE("wide results (S4): while one waits, the pipe takes no other of its scheduler", "[sim]") {
  // Pairs of loads of two and of four cycles of the pipe, four schedulers: 24 cycles a pair. With n FMAs an
  // H200 takes 24.4, 25.1, 26.4 (experiments/fragment_loads.csv), though it issues only n + 2.
  CoreParameters p;
  p.queue_entries = 10;
  const auto of_pair = [&](int fmas, int hold) {
    p.wide_return_hold = hold;
    std::vector<StreamOp> ops;
    for (int n = 0; n < 6; ++n) {
      auto load = memory_op(Kind::shared_load, n);
      load.stall = 1;
      load.width_bytes = 16;
      load.wavefronts = n % 2 == 0 ? 2 : 4;
      ops.push_back(load);
      for (int i = 0; i < fmas / 2; ++i)  // of words that were loaded four loads before
        ops.push_back(waiting(fma_op(), 1 << (n + 2) % 6));
    }
    const auto run = [&](int trips) {
      const auto all = static_cast<int>(ops.size());
      return static_cast<double>(
          cycles_of_block(uniform_stream(ops, {loop_step(1, trips), run_step(0, all)}, 16), p));
    };
    return (run(60) - run(20)) / 40 / 12;
  };
  for (const int fmas : {8, 12, 16})
    CHECK(of_pair(fmas, 0) < 24.1);
  CHECK(std::abs(of_pair(8, 2) / 24.4 - 1) < 0.03);
  CHECK(std::abs(of_pair(12, 2) / 25.1 - 1) < 0.03);
  CHECK(std::abs(of_pair(16, 2) / 26.4 - 1) < 0.03);
}
