// S4: copies through L1 of what it has not, and what they take when their data come.

#include <cstdlib>

#include "model/sim/decode.hpp"
#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

namespace {

DecodedOp decoded(const StreamOp& op) {
  return decode(uniform_stream({op}, {run_step(0, 1)}, 1), round_core()).ops[0];
}

}  // namespace

TEST_CASE("memory pipe (S4): copies of what is not there have a turn, then tags, then the banks", "[sim]") {
  auto copy = memory_op(Kind::async_copy);
  copy.sectors = copy.wavefronts = copy.lines = 32;
  copy.by_line = 32;
  copy.written = 32;
  copy.l1_hit = copy.l1_under_way = 1;
  CHECK(decoded(copy).accept == 1);
  CHECK(decoded(copy).tags == Approx(0.37 * 32));
  CHECK(decoded(copy).later == 31);
  copy.l1_under_way = 0.5;
  CHECK(decoded(copy).accept == Approx((1 + 32) / 2.0));
  CHECK(decoded(copy).tags == Approx(0.37 * 16));
  CHECK(decoded(copy).later == Approx(15.5));
  // Of 32 words of one bank of L1, to different ones: read behind shared accesses.
  copy.written = 1;
  copy.l1_hit = copy.l1_under_way = 1;
  CHECK(decoded(copy).later == 0);
  CHECK(decoded(copy).reads_later == 32);
  // Four words a lane of four lines: 4 wavefronts together, 16 line by line.
  copy.l1_hit = copy.l1_under_way = 0;
  copy.wavefronts = copy.lines = 4;
  copy.by_line = 16;
  copy.written = 4;
  CHECK(decoded(copy).accept == 1);
  CHECK(decoded(copy).tags == Approx(0.8 * 4));
  CHECK(decoded(copy).later == Approx(3 + 0.45 * 12));
}

TEST_CASE("memory pipe (S4): what has come for copies keeps shared loads waiting", "[sim]") {
  auto copy = memory_op(Kind::async_copy);
  copy.sectors = copy.lines = 1;
  copy.wavefronts = copy.written = 101;
  auto load = memory_op(Kind::shared_load, 0);
  load.stall = 1;
  load.wavefronts = 8;
  const auto loads = [&](int count, bool with_copy) {
    std::vector<StreamOp> ops;
    if (with_copy) ops.push_back(copy);
    ops.push_back(load);
    ops.push_back(waiting(fma_op(), 1));
    const auto stream = uniform_stream(ops,
                                       {run_step(0, static_cast<int>(ops.size()) - 2), loop_step(1, count),
                                        run_step(with_copy ? 1 : 0, 1), run_step(with_copy ? 2 : 1, 1)},
                                       1);
    SmWork work;
    work.extrapolate = false;
    return simulate_sm(stream, round_core(), work).cycles;
  };
  // Loads that are done before the data come do not wait, the others 100 cycles.
  CHECK(loads(10, true) - loads(10, false) <= 4);
  CHECK(std::abs(loads(200, true) - loads(200, false) - 100) <= 8);
}

TEST_CASE("memory pipe (S4): copies with many bank conflicts are read one after the other", "[sim]") {
  auto copy = memory_op(Kind::async_copy);
  copy.sectors = copy.lines = copy.wavefronts = 32;
  copy.written = 1;
  copy.l1_hit = copy.l1_under_way = 1;
  StreamOp commit, wait;
  commit.kind = Kind::commit_group;
  wait.kind = Kind::wait_groups;
  const auto load = memory_op(Kind::shared_load, 0);
  const auto cycles = [&](int copies, int loads) {
    const auto stream = uniform_stream({copy, commit, load, waiting(wait, 1)},
                                       {loop_step(6, 20), loop_step(1, copies), run_step(0, 1),
                                        run_step(1, 1), loop_step(1, loads), run_step(2, 1), run_step(3, 1)},
                                       2);
    SmWork work;
    work.extrapolate = false;
    return static_cast<double>(simulate_sm(stream, round_core(), work).cycles) / 20;
  };
  // H200, experiments/under_way.csv: 34 cycles a copy (1089 to 1104 of two warps' 16).
  CHECK(cycles(16, 1) - cycles(8, 1) == Approx(2 * 8 * 34).epsilon(0.04));
  // Shared accesses go first.
  CHECK(cycles(16, 101) - cycles(16, 1) == Approx(2 * 100).epsilon(0.2));
}

TEST_CASE("memory pipe (S4): copies past L1 leave the reads behind the cycles between them", "[sim]") {
  auto copy = memory_op(Kind::async_copy);
  copy.sectors = copy.lines = copy.wavefronts = 32;
  copy.written = 1;
  copy.l1_hit = copy.l1_under_way = 1;
  auto past = memory_op(Kind::async_copy);
  past.past_l1 = true;
  past.sectors = past.wavefronts = 16;
  StreamOp commit, wait;
  commit.kind = Kind::commit_group;
  wait.kind = Kind::wait_groups;
  // Of a warp that copies through L1, beside one that copies past it.
  const auto cycles = [&](int copies_past) {
    auto stream =
        uniform_stream({copy, commit, wait, past}, {loop_step(1, 16), run_step(0, 1), run_step(1, 2)}, 2);
    stream.roles.push_back({"past", {loop_step(1, copies_past), run_step(3, 1)}});
    stream.role_of_warp = {0, 1};
    return static_cast<double>(cycles_of_block(stream, round_core()));
  };
  CHECK(cycles(8) - cycles(0) == Approx(8).margin(16));  // 96 if these cycles were taken
}

TEST_CASE("memory pipe (S4): the next copy waits for what has come, shared loads do not", "[sim]") {
  auto copy = memory_op(Kind::async_copy);
  copy.width_bytes = 4;
  copy.sectors = 4;
  copy.lines = copy.wavefronts = copy.written = copy.by_line = 1;
  auto load = memory_op(Kind::shared_load);
  load.stall = 1;
  load.wavefronts = 4;
  StreamOp commit, wait;
  commit.kind = Kind::commit_group;
  wait.kind = Kind::wait_groups;
  auto core = round_core();
  core.schedulers = 4;
  core.cycles_per_register = 1;
  // Cycles of the SM for one more copy of one of 16 warps, each with `loads` of four wavefronts.
  const auto each = [&](double hit, int loads) {
    copy.l1_hit = hit;
    const auto cycles = [&](int copies) {
      const auto stream = uniform_stream(
          {copy, load, commit, wait},
          {loop_step(3, copies), run_step(0, 1), loop_step(1, loads), run_step(1, 1), run_step(2, 2)}, 16);
      SmWork work;
      work.extrapolate = false;
      return static_cast<double>(simulate_sm(stream, core, work).cycles);
    };
    return (cycles(192) - cycles(64)) / (16 * 128);
  };
  // H200, experiments/line_copies.csv: 4.1 cycles, copy_turns.csv: 2.3 of what L1 has.
  CHECK(each(0, 0) == Approx(4.1).epsilon(0.02));
  CHECK(each(1, 0) == Approx(2).epsilon(0.02));
  // experiments/arrivals_beside_loads.csv: beside loads 0.2 cycles more than what L1 has.
  CHECK(each(0, 4) - each(1, 4) == Approx(0.2).margin(0.3));
}

TEST_CASE("memory pipe (S4): the next copy past L1 waits for the wavefronts, shared loads do not", "[sim]") {
  auto copy = memory_op(Kind::async_copy);
  copy.past_l1 = true;
  copy.sectors = 16;
  copy.lines = 5;
  auto load = memory_op(Kind::shared_load);
  load.stall = 1;
  load.wavefronts = 4;
  auto core = round_core();
  core.schedulers = 4;
  core.shared_queue_places = 19;
  core.cycles_per_register = 1;
  // Cycles of two warps that copy and two that load.
  const auto cycles = [&](int copies, int loads) {
    auto stream = uniform_stream({copy, load}, {loop_step(1, copies), run_step(0, 1)}, 4);
    stream.roles.push_back({"loads", {loop_step(1, loads), run_step(1, 1)}});
    stream.role_of_warp = {0, 0, 1, 1};
    SmWork work;
    work.extrapolate = false;
    return static_cast<double>(simulate_sm(stream, core, work).cycles);
  };
  // H200, experiments/past_l1_bursts.csv: 7.7 to 7.8, 11.4 to 11.7 and 15.2 to 15.6 cycles.
  for (const double wavefronts : {8, 12, 16}) {
    copy.wavefronts = wavefronts;
    CHECK((cycles(192, 0) - cycles(64, 0)) / (2 * 128) == Approx(wavefronts).epsilon(0.02));
  }
  // Of loads that fill the pipe copies take their turns, no more, while those that wait leave room in the
  // SM's queue.
  CHECK(cycles(2, 100) - cycles(0, 100) == Approx(2 * 2).margin(4));
}
