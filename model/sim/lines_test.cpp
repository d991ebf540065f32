// S4: lines of L1 that are under way. The warp's last instruction is issued in the cycle that is checked.

#include "model/sim/decode.hpp"
#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

namespace {

// `loads` loads of a line each, then `last` and whoever waits for it; L1 has room for so many lines.
Cycle cycles(int loads, double room, StreamOp load, const StreamOp& last) {
  load.sectors = 4;
  load.lines = 1;
  std::vector<StreamOp> ops(static_cast<std::size_t>(loads), load);
  ops.push_back(last);
  ops.push_back(waiting(fma_op(), 1));
  const auto count = static_cast<std::int32_t>(ops.size());
  auto stream = uniform_stream(std::move(ops), {run_step(0, count)}, 1);
  stream.l1_lines = room;
  SmWork work;
  work.extrapolate = false;
  return simulate_sm(stream, round_core(), work).cycles;
}

}  // namespace

TEST_CASE("L1 (S4): a load whose line finds no room keeps the pipe until one has come", "[sim]") {
  auto load = memory_op(Kind::global_load);
  load.l1_new_lines = 1;
  const auto shared = memory_op(Kind::shared_load, 0);
  // Issued every second cycle, taken by the pipe every fourth (one register each), from cycle 10 on: the
  // shared load behind three loads in cycle 22, and its data are there 10 cycles later.
  CHECK(cycles(3, 0, load, shared) == 32);  // L1's room is not known
  CHECK(cycles(3, 3, load, shared) == 32);
  // The third one waits for the first, 200 cycles after whose issue its line is there (and 2 of the port);
  // the shared load is the next in the pipe.
  CHECK(cycles(3, 2, load, shared) == 202 + 1 + 10);
  // The fourth and fifth for the first and the second, which comes 4 cycles later.
  CHECK(cycles(5, 3, load, shared) == 206 + 1 + 10);
}

TEST_CASE("L1 (S4): what is there, under way or past it needs no room", "[sim]") {
  const auto shared = memory_op(Kind::shared_load, 0);
  auto load = memory_op(Kind::global_load);
  CHECK(cycles(3, 2, load, shared) == 32);  // other sectors of lines that are under way
  auto copy = memory_op(Kind::async_copy);
  copy.l1_new_lines = 1;
  const auto through = cycles(3, 2, copy, shared);
  copy.past_l1 = true;
  CHECK(cycles(3, 2, copy, shared) < 60);
  CHECK(through > 200);
}

TEST_CASE("L1 (S4): each line's place is free when its own data have come", "[sim]") {
  // 16 lines, each as likely from the far part of L2: at least the eight faster ones are near.
  auto load = memory_op(Kind::global_load);
  load.sectors = load.lines = load.l1_new_lines = 16;
  auto behind = load;
  behind.sectors = behind.lines = behind.l1_new_lines = 8;
  std::vector<StreamOp> ops{load, behind, memory_op(Kind::shared_load, 0), waiting(fma_op(), 1)};
  auto stream = uniform_stream(std::move(ops), {run_step(0, 4)}, 1);
  stream.l1_lines = 16;
  auto core = round_core();
  core.l2.far = 1000;
  SmWork work;
  work.extrapolate = false;
  const auto cycles = simulate_sm(stream, core, work).cycles;
  CHECK(cycles > 200);
  CHECK(cycles < 300);  // 1000, if all waited for the slowest
}

TEST_CASE("later hits (S6): what L2 has is so much later", "[sim]") {
  auto p = round_core();
  const Curve idle{.x = {0, 1e12}, .y = {200, 200}};
  p.l2.over_load = &idle;
  CHECK(MemorySystem(p, {.active_sms = 1}, 1).load(10, 0, {2, 0}) == 10 + 200 + 1);
  CHECK(MemorySystem(p, {.active_sms = 1, .later_hits = 70}, 1).load(10, 0, {2, 0}) == 10 + 270 + 1);
}
