// S9: full waves that are not simulated one by one.

#include "model/sim/later_waves.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "model/sim/order_parameter.hpp"
#include "model/sim/sim_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

namespace {

// Two blocks of a warp, each on a scheduler of its own, that load through the port for 8192 cycles, then
// compute for as long.
InstructionStream load_and_compute() {
  auto load = memory_op(Kind::global_load, 0);
  load.sectors = 128;
  return uniform_stream(
      {load, waiting(fma_op(4), 1), fma_op(4)},
      {loop_step(1, 128), run_step(0, 1), run_step(1, 1), loop_step(1, 2048), run_step(2, 1)}, 1);
}

SmWork two_at_once(int waves) {
  SmWork work;
  work.resident = 2;
  work.blocks = 2 * waves;
  return work;
}

}  // namespace

TEST_CASE("later waves (S9): a wave by the pace between the first end and the last wave's", "[sim]") {
  SmResult result;
  result.block_end = {100, 110, 200, 210, 290, 310};
  result.issued_by_end = {50, 60, 110, 120, 170, 180};
  result.block_instructions = 30;
  auto work = two_at_once(3);
  // 30 instructions a block, 60 in a wave, 120 from cycle 100 to 290.
  CHECK(cycles_of_a_wave(result, work) == Approx(190 * 60 / 120.0));
  // Apart from the beginning: from the third end on.
  work.apart = true;
  CHECK(cycles_of_a_wave(result, work) == Approx(90 * 60 / 60.0));
  work.tail_blocks = 4;
  CHECK(cycles_of_a_wave(result, work) == 0);
}

TEST_CASE("later waves (S9): of lone blocks, every fourth of which is an edge, four are timed", "[sim]") {
  SmWork work;
  work.blocks = 3;
  const auto later = later_blocks(work, 1000, {{{0}, 4, 1}, {{0}, 100, 4}});
  CHECK(later.blocks == 6);
  SmResult result;
  result.block_end = {100, 200, 300, 400, 440, 540};
  result.issued_by_end = {10, 20, 30, 40, 50, 60};
  result.block_instructions = 10;
  CHECK(cycles_of_a_wave(result, later) == Approx(340 / 4.0));
}

TEST_CASE("order parameter: of times within a period", "[sim]") {
  const auto of = [](std::vector<Cycle> times) { return order_parameter(times, 100); };
  CHECK(of({7}) == Approx(1));
  CHECK(of({7, 107, 1007}) == Approx(1));
  CHECK(of({0, 25}) == Approx(std::sqrt(0.5)));
  CHECK(of({0, 50}) == Approx(0).margin(1e-12));
  CHECK(of({0, 25, 50, 75}) == Approx(0).margin(1e-12));
}

TEST_CASE("later waves (S9): in step as far as blocks end together, where reads wait for DRAM's writes",
          "[sim]") {
  SmResult result;
  result.block_end = {95, 105, 195, 205, 295, 305};
  result.issued_by_end = {10, 20, 30, 40, 50, 60};
  result.block_instructions = 10;
  result.behind_writes = 100;
  result.dram_cycles = 20;  // all of them reads
  const auto work = two_at_once(3);
  const auto squared = [](double degrees) { return std::pow(std::cos(degrees * std::numbers::pi / 180), 2); };
  CHECK(cycles_of_a_wave(result, work) == Approx(100));
  const double all_read = 1 / 1.15;                                // two blocks: half where 0.15 is read
  CHECK(in_step(result, work) == Approx(squared(18) * all_read));  // a tenth of a wave apart
  result.block_end[2] = 190, result.block_end[3] = 210;
  CHECK(in_step(result, work) == Approx(squared(36) * all_read));
  result.dram_write_cycles = 17;
  CHECK(in_step(result, work) == Approx(squared(36) / 2));
  result.behind_writes = 3.6;  // what SMs deviate by
  CHECK(in_step(result, work) == Approx(squared(36) / 2 * (1 - std::exp(-1))));
  result.behind_writes = 0;
  CHECK(in_step(result, work) == 0);
  result.behind_writes = 3.6;
  CHECK(in_step(result, two_at_once(1)) == 0);
}

TEST_CASE("later waves (S9): lone blocks are the less in step the less is read, four and more as their own",
          "[sim]") {
  SmResult result;
  result.behind_writes = 1000;
  result.dram_cycles = 100, result.dram_write_cycles = 97;
  SmWork lone;
  lone.resident = 1;
  lone.blocks = 3;
  result.block_end = {100, 200, 300};
  CHECK(in_step(result, lone) == Approx(0.5));
  SmWork four = lone;
  four.resident = 4;
  four.blocks = 12;
  result.block_end.clear();
  result.issued_by_end.clear();
  for (int b = 0; b < four.blocks; ++b) {
    result.block_end.push_back(100 * (1 + b / 4));
    result.issued_by_end.push_back(10 * (b + 1));
  }
  result.block_instructions = 10;
  CHECK(in_step(result, four) == Approx(1));
}

TEST_CASE("later waves (S9): read anew of several blocks or unlike ones, if they are not too long", "[sim]") {
  SmWork work;
  SmResult result;
  CHECK_FALSE(come_apart(result, work, 1000, {}));
  CHECK(come_apart(result, work, 1000, {{{0}, 4, 1}}));
  result.behind_writes = 1;
  CHECK(come_apart(result, work, 1000, {}));
  result.behind_writes = 0;
  work.resident = 2;
  CHECK(come_apart(result, work, 125000, {}));
  CHECK_FALSE(come_apart(result, work, 125001, {}));
}

TEST_CASE("later waves (S9): blocks begin evenly apart, beside no tail", "[sim]") {
  auto work = two_at_once(4);
  work.tail_blocks = 1;
  work.start = {0, 24};
  const auto later = later_blocks(work, 1001, {{{0}, 4, 1}});
  CHECK(later.start == std::vector<Cycle>{0, 501});
  CHECK(later.blocks == 8);  // the first wave, two that are timed, and one beside the last ends
  CHECK(later.tail_blocks == 0);
}

TEST_CASE("later waves (S9): one block's loads beside another's products", "[sim]") {
  auto p = round_core();
  p.schedulers = 2;
  const auto stream = load_and_compute();
  const auto work = two_at_once(3);
  const double in_step = cycles_of_a_wave(simulate_sm(stream, p, work), work);
  const auto later = later_blocks(work, in_step, {});
  const double apart = cycles_of_a_wave(simulate_sm(stream, p, later), later);
  // Nothing is simulated behind the last end that counts.
  auto all = later;
  all.ends = SmWork{}.ends;
  const auto r = simulate_sm(stream, p, all);
  CHECK(r.block_end.size() == 8);
  CHECK(r.issued == 8 * r.block_instructions);
  CHECK(cycles_of_a_wave(r, all) == apart);
  CHECK(simulate_sm(stream, p, later).block_end.size() == 7);
  // Loads of both, then products; or one's loads while the other multiplies.
  CHECK(in_step == Approx(3 * 8192).epsilon(0.1));
  CHECK(apart < 0.7 * in_step);
}
