// S7: branches, and code that the SM's cache has not.

#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

TEST_CASE("front end (S7): a taken branch costs the warp its cycles", "[sim]") {
  auto p = round_core();
  StreamOp branch;
  branch.taken_branch = true;
  const auto stream = uniform_stream({branch}, {loop_step(1, 10), run_step(0, 1)}, 1);
  SmWork work;
  CHECK(simulate_sm(stream, p, work).cycles == 9);
  p.branch = 4;
  CHECK(simulate_sm(stream, p, work).cycles == 9 * 5);
  branch.far = true;  // the scheduler's own cache has not what it leads to
  CHECK(simulate_sm(uniform_stream({branch}, {loop_step(1, 10), run_step(0, 1)}, 1), p, work).cycles ==
        9 * (5 + p.far_branch));
}

TEST_CASE("front end (S7): a warp whose lanes meet waits", "[sim]") {
  StreamOp meet;
  meet.converges = true;
  meet.stall = 5;
  SmWork work;
  CHECK(
      simulate_sm(uniform_stream({meet}, {loop_step(1, 10), run_step(0, 1)}, 1), round_core(), work).cycles ==
      9 * 15);
}

TEST_CASE("instruction cache (S7): code beyond it is fetched anew by every launch, line by line", "[sim]") {
  auto p = round_core();
  p.line_instructions = 8;
  p.line_sets = 1;
  p.line_fetch = 20;
  std::vector<StreamOp> ops(24, fma_op());
  for (int i = 0; i < 24; ++i)
    ops[static_cast<std::size_t>(i)].place = i;
  const auto cycles = [&](int ways) {
    p.line_ways = ways;
    return simulate_sm(uniform_stream(ops, {run_step(0, 24)}, 1), p, {}).cycles;
  };
  CHECK(cycles(3) == 23);
  // Three lines in turn through two places: the first two are asked for at cycle 0, the third as the second
  // begins.
  CHECK(cycles(2) == 20 + 20 + 20 + 7);
  // A line that takes longer than the next one's way is all that counts.
  for (auto& op : ops)
    op.stall = 4;
  CHECK(cycles(2) == 20 + 23 * 4);
}

TEST_CASE("instruction cache (S7): H200 loops' straight lines of FFMAs", "[sim]") {
  // experiments/code_lines.csv: cycles a line of code that issues one FFMA each 1, 2 and 4 cycles, 4096 of
  // them.
  CoreParameters p = round_core();
  p.schedulers = 4;
  p.line_fetch = CoreParameters{}.line_fetch;
  const auto line_cycles = [&](int stall, int count, int warps) {
    std::vector<StreamOp> ops(static_cast<std::size_t>(count), fma_op(stall));
    for (int i = 0; i < count; ++i)
      ops[static_cast<std::size_t>(i)].place = i;
    return 8.0 *
           static_cast<double>(simulate_sm(uniform_stream(ops, {run_step(0, count)}, warps), p, {}).cycles) /
           count;
  };
  CHECK(line_cycles(1, 1024, 4) == Approx(8).epsilon(0.01));
  CHECK(line_cycles(1, 4096, 1) == Approx(19.9).epsilon(0.06));
  CHECK(line_cycles(1, 4096, 4) == Approx(19.8).epsilon(0.06));
  CHECK(line_cycles(2, 4096, 1) == Approx(19.4).epsilon(0.06));
  CHECK(line_cycles(4, 4096, 4) == Approx(32.6).epsilon(0.02));
  CHECK(line_cycles(1, 4096, 8) == Approx(17.7).epsilon(0.1));
  CHECK(line_cycles(1, 4096, 16) == Approx(42.6).epsilon(0.05));  // warps that drift apart fetch lines again
}
