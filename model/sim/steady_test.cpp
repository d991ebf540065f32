// S8 to S11: trips that repeat, blocks one after the other, the kernel's time.

#include <cstdlib>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/waves.hpp"
#include "model/device/stand_ins.hpp"
#include "model/sim/sim.hpp"
#include "model/sim/sim_test_device.hpp"
#include "model/sim/steady_state.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

namespace {

// A tiled loop: load, store, barrier, work from shared memory.
InstructionStream tiled(std::int64_t trips, int warps) {
  auto global = memory_op(Kind::global_load, 0);
  global.sectors = 16;
  auto shared = memory_op(Kind::shared_load, 1);
  shared.wavefronts = 4;
  auto store = waiting(memory_op(Kind::shared_store), 1);
  StreamOp barrier;
  barrier.kind = Kind::barrier;
  std::vector<StreamOp> ops{global, shared};
  for (int i = 0; i < 40; ++i)
    ops.push_back(i == 0 ? waiting(fma_op(), 2) : fma_op());
  ops.push_back(store);
  ops.push_back(barrier);
  const auto count = static_cast<std::int32_t>(ops.size());
  return uniform_stream(ops, {run_step(0, 2), loop_step(1, trips), run_step(0, count), run_step(2, 10)},
                        warps);
}

}  // namespace

TEST_CASE("steady state (S8): skipping trips gives the cycles of stepping through them", "[sim]") {
  auto p = round_core();
  p.schedulers = 4;
  for (const int warps : {1, 4, 8}) {
    for (const int resident : {1, 2}) {
      SmWork work;
      work.resident = work.blocks = resident;
      const auto fast = simulate_sm(tiled(500, warps), p, work);
      work.extrapolate = false;
      const auto full = simulate_sm(tiled(500, warps), p, work);
      INFO(warps << " warps, " << resident << " blocks");
      CHECK(full.skipped_trips == 0);
      CHECK(fast.skipped_trips > 300);
      CHECK(fast.simulated < full.simulated / 3);
      CHECK(static_cast<double>(fast.cycles) == Approx(static_cast<double>(full.cycles)).epsilon(0.005));
      CHECK(fast.issued == full.issued);
      CHECK(fast.l2_bytes == Approx(full.l2_bytes).epsilon(0.005));
      CHECK(fast.stalls.total() == Approx(full.stalls.total()).epsilon(0.01));
    }
  }
}

TEST_CASE("steady state (S8): exactly periodic trips are skipped exactly", "[sim]") {
  const auto stream = uniform_stream({fma_op(4), fma_op(2)}, {loop_step(1, 1000000), run_step(0, 2)}, 1);
  const auto r = simulate_sm(stream, round_core(), {});
  CHECK(r.cycles == 1000000 * 6 - 2);  // the last instruction's stall count is not waited for
  CHECK(r.issued == 2000000);
  CHECK(r.simulated < 200);
  CHECK(r.steady_spread == 0);
}

TEST_CASE("steady state (S8): what is left out takes time by its operations, whichever warp's they are",
          "[sim]") {
  // Two warps of one scheduler, no barrier between them: three operations in nine cycles and in six.
  InstructionStream stream;
  stream.ops = {fma_op(3), fma_op(2)};
  for (const std::int32_t op : {0, 1}) {
    std::vector<TraceStep> trace{loop_step(3, 20000)};
    for (int i = 0; i < 3; ++i)
      trace.push_back(run_step(op, 1));
    stream.roles.push_back({"", trace});
  }
  stream.role_of_warp = {0, 1};
  SmWork work;
  const auto fast = simulate_sm(stream, round_core(), work);
  work.extrapolate = false;
  const auto full = simulate_sm(stream, round_core(), work);
  CHECK(full.issued == 120000);
  CHECK(fast.issued == 120000);
  CHECK(fast.simulated < 3000);
  CHECK(static_cast<double>(fast.cycles) == Approx(static_cast<double>(full.cycles)).epsilon(0.001));
}

TEST_CASE("steady state (S8): a block that starts when the stores before it have left is timed too",
          "[sim]") {
  auto store = memory_op(Kind::global_store);
  store.sectors = 64;  // in the queue for longer than its block's last warp
  const auto stream =
      uniform_stream({fma_op(4), store}, {loop_step(1, 20000), run_step(0, 1), run_step(1, 1)}, 1);
  SmWork work;
  work.blocks = 3;
  const auto fast = simulate_sm(stream, round_core(), work);
  work.extrapolate = false;
  const auto full = simulate_sm(stream, round_core(), work);
  CHECK(fast.block_end == full.block_end);
  CHECK(fast.simulated < 8000);  // of 60,003
}

TEST_CASE("steady state (S8): trips count from when all warps are in their loops", "[sim]") {
  InstructionStream stream;
  stream.ops = {fma_op(4)};
  for (const std::size_t before : {0, 1000}) {
    std::vector<TraceStep> trace(before, run_step(0, 1));
    trace.insert(trace.end(), {loop_step(1, 20000), run_step(0, 1)});
    stream.roles.push_back({"", trace});
  }
  stream.role_of_warp = {0, 1};
  SmWork work;
  const auto fast = simulate_sm(stream, round_core(), work);
  work.extrapolate = false;
  const auto full = simulate_sm(stream, round_core(), work);
  CHECK(fast.cycles == full.cycles);
  CHECK(fast.issued == full.issued);
  CHECK(fast.simulated < 12000);  // of 41,000
}

TEST_CASE("steady state (S8): a block that the older one leaves nothing does not keep it from skipping",
          "[sim]") {
  const auto stream = uniform_stream({fma_op(1)}, {loop_step(1, 20000), run_step(0, 1)}, 1);
  SmWork work;
  work.resident = work.blocks = 2;
  const auto ends = simulate_sm(stream, round_core(), work);
  CHECK(ends.block_end == std::vector<Cycle>{19999, 39999});
  CHECK(ends.simulated < 20000);  // of 40,000
}

TEST_CASE("steady state (S8): a warp that waits behind its loop does not keep others from skipping",
          "[sim]") {
  auto p = round_core();
  p.schedulers = 4;
  StreamOp barrier;
  barrier.kind = Kind::barrier;
  InstructionStream stream;
  stream.ops = {fma_op(4), barrier};
  for (const std::int64_t trips : {20000, 2000})
    stream.roles.push_back({"", {loop_step(1, trips), run_step(0, 1), run_step(1, 1), run_step(0, 1)}});
  stream.role_of_warp = {0, 1};
  SmWork work;
  const auto fast = simulate_sm(stream, p, work);
  work.extrapolate = false;
  const auto full = simulate_sm(stream, p, work);
  CHECK(fast.cycles == full.cycles);
  CHECK(fast.issued == full.issued);
  CHECK(fast.simulated < 1000);  // of 22004
  // 18000 trips of four cycles long.
  CHECK(full.stalls[Cause::barrier] > 72000);
  CHECK(fast.stalls[Cause::barrier] == Approx(full.stalls[Cause::barrier]).epsilon(0.001));
}

TEST_CASE("stalls: every cycle of every warp has one cause", "[sim]") {
  SmWork work;
  work.extrapolate = false;
  const auto r = simulate_sm(tiled(20, 1), round_core(), work);
  CHECK(r.stalls.total() == static_cast<double>(r.cycles + 1));
  CHECK(r.stalls[Cause::issued] == r.issued);
  CHECK(r.stalls[Cause::long_scoreboard] > r.stalls[Cause::short_scoreboard]);
}

TEST_CASE("blocks (S9): one starts where another ended; issued instructions are the stream's", "[sim]") {
  SmWork work;
  work.resident = 2;
  work.blocks = 6;
  const auto stream = tiled(30, 4);
  const auto r = simulate_sm(stream, round_core(), work);
  CHECK(r.block_end.size() == 6);
  CHECK(r.cycles == r.block_end.back());
  CHECK(r.issued == Approx(6 * issued_instructions(stream)));
}

TEST_CASE("blocks (S9): those at the edge do what they have to do", "[sim]") {
  // A chain of 100 FMAs four cycles apart; at the edge of 10. Blocks one after the other.
  auto stream = uniform_stream({fma_op(4)}, {loop_step(1, 100), run_step(0, 1)}, 1);
  add_edge(stream, uniform_stream({fma_op(4)}, {loop_step(1, 10), run_step(0, 1)}, 1), 2, 10);
  CHECK(stream_problem(stream).empty());
  CHECK(!stream.edges.front().holds(9));
  CHECK(stream.edges.front().holds(10));
  CHECK(!stream.edges.front().holds(20));  // the next image
  SmWork work;
  work.blocks = 2;
  work.replacement = 400;
  work.kind_of = {0, 1};
  CHECK(simulate_sm(stream, round_core(), work).block_end ==
        std::vector<Cycle>{99 * 4, 99 * 4 + 400 + 9 * 4});
  stream.edges.front().role_of_warp.push_back(1);
  CHECK(stream_problem(stream) == "edge: 2 warps, expected 1");
}

TEST_CASE("blocks (S9): a place is free when the block's stores have passed the pipe", "[sim]") {
  auto store = memory_op(Kind::global_store);
  store.stall = 1;
  store.sectors = 640;  // 320 cycles of L2, from cycle 10 on
  store.stored_bytes = 640 * 32;
  SmWork work;
  work.blocks = 2;
  work.replacement = 400;
  const auto stream = uniform_stream({store, fma_op()}, {run_step(0, 2)}, 1);
  const auto once = simulate_sm(stream, round_core(), work);
  CHECK(once.block_end == std::vector<Cycle>{1, 10 + 400 + 1});
  CHECK(once.stores_done == 10 + 400 + 10 + 320 + 1);
  // A second store has no room before L2 has taken the first.
  const auto twice = uniform_stream({store, store, fma_op()}, {run_step(0, 3)}, 1);
  const auto ends = simulate_sm(twice, round_core(), work).block_end;
  CHECK(ends == std::vector<Cycle>{2, 10 + 320 + 1 + 400 + 2});
}

TEST_CASE("blocks (S9): ends are noticed one by one", "[sim]") {
  // Three blocks at once, of two instructions each on one scheduler.
  SmWork work;
  work.resident = 3;
  work.blocks = 3;
  work.completion = 50;
  work.replacement = 400;
  const auto stream = uniform_stream({fma_op(), fma_op()}, {run_step(0, 2)}, 1);
  const auto one_wave = simulate_sm(stream, round_core(), work);
  CHECK(one_wave.block_end == std::vector<Cycle>{1, 3, 5});
  CHECK(one_wave.completed == 1 + 2 * 50);
  // Of a tail that other SMs have less of.
  work.tail_blocks = 3;
  work.tail_completion = 20;
  const auto tail = simulate_sm(stream, round_core(), work);
  CHECK(tail.completed == 1 + 2 * 20);
  work.tail_blocks = 0;
  work.blocks = 6;
  const auto two = simulate_sm(stream, round_core(), work);
  CHECK(two.block_end == std::vector<Cycle>{1, 3, 5, 1 + 400 + 1, 51 + 400 + 1, 101 + 400 + 1});
}

TEST_CASE("DRAM's reads (S13): short pieces keep it busy for longer", "[sim]") {
  auto kernel = round_kernel(20, 1);
  auto load = memory_op(Kind::global_load, 0);
  load.sectors = 16;
  const auto stream = uniform_stream({load, waiting(fma_op(), 1)}, {loop_step(1, 50), run_step(0, 2)}, 1);
  const auto busy = [&](double piece) {
    kernel.streams = {{"filters", false, Bytes{1e9}, Bytes{1e9}}};
    kernel.streams[0].read_piece = Bytes{piece};
    return simulate(kernel, stream, sim_device()).sm.dram_cycles;
  };
  CHECK(busy(64) == Approx(1.95 * busy(0)));
}

TEST_CASE("DRAM's reads (S13): among writes each byte keeps it busy for longer", "[sim]") {
  auto kernel = round_kernel(20, 1);
  auto load = memory_op(Kind::global_load, 0);
  load.sectors = 16;
  const auto stream = uniform_stream({load, waiting(fma_op(), 1)}, {loop_step(1, 50), run_step(0, 2)}, 1);
  auto device = sim_device();
  const auto busy = [&] { return simulate(kernel, stream, device).sm.dram_cycles; };
  kernel.phases[0].stored = Bytes{1e9 / 20};
  kernel.streams = {{"filters", false, Bytes{1e9}, Bytes{1e9}}, {"output", true, Bytes{1e9}, Bytes{1e9}}};
  const double alone = busy();
  device.dram_mixed_over_read_share.x = {50, 100};
  const double rate =
      device.dram_read.present() ? device.dram_read.get().value() : device.dram_peak.get().value();
  device.dram_mixed_over_read_share.y = {rate / 2, rate};
  CHECK(busy() == Approx(2 * alone).epsilon(0.02));
  kernel.streams.pop_back();
  CHECK(busy() == Approx(alone));  // nothing written
}

TEST_CASE("simulate (S16): a launch whose code has local memory takes longer", "[sim]") {
  const auto kernel = round_kernel(10, 1);
  auto load = memory_op(Kind::global_load, 0);
  const auto launch = [&] {
    const auto stream = uniform_stream({load, waiting(fma_op(), 1)}, {run_step(0, 2)}, 8);
    return simulate(kernel, stream, sim_device()).prediction.bounds.front().time.value();
  };
  const double without = launch();
  load.local = true;
  CHECK(launch() == Approx(without + 74e-9));
}

TEST_CASE("simulate (S9, S10): launch, waves and drain around the SM's cycles", "[sim]") {
  auto kernel = round_kernel(10, 1);
  const auto stream = uniform_stream({fma_op(4)}, {loop_step(1, 1000), run_step(0, 1)}, 8);
  const auto one = simulate(kernel, stream, sim_device());
  CHECK(one.blocks == 1);
  // Launch 1 us; eight warps on four schedulers: 999 x 4 + 1 cycles.
  CHECK(one.prediction.time.value() == Approx(1e-6 + (999 * 4 + 1) * 1e-9).epsilon(0.001));
  CHECK(one.prediction.limiter == "stall_count");
  double sum = 0;
  for (const auto& bound : one.prediction.bounds)
    sum += bound.time.value();
  CHECK(sum == Approx(one.prediction.time.value()));

  // Of twenty blocks at once, two on each SM, the second ten have a tenth to do.
  auto light = stream;
  add_edge(light, uniform_stream({fma_op(4)}, {loop_step(1, 100), run_step(0, 1)}, 8), 2, 10);
  kernel.launch.blocks = 20;
  const auto two = simulate(kernel, stream, sim_device()).sm.issued;
  CHECK(two == 2 * 8000);
  CHECK(simulate(kernel, light, sim_device()).sm.issued == 8000 + 800);

  // Of eighteen the last six: of the SMs with two blocks the first two have none of these, the one in the
  // middle has one.
  auto six = stream;
  add_edge(six, uniform_stream({fma_op(4)}, {loop_step(1, 100), run_step(0, 1)}, 8), 3, 6);
  kernel.launch.blocks = 18;
  CHECK(simulate(kernel, six, sim_device()).sm.issued == 2 * 8000);

  // Every second of fourteen: four SMs have two blocks, of which some SM's are none of these.
  auto every_second = stream;
  add_edge(every_second, uniform_stream({fma_op(4)}, {loop_step(1, 100), run_step(0, 1)}, 8), 2, 1);
  kernel.launch.blocks = 14;
  CHECK(simulate(kernel, every_second, sim_device()).sm.issued == 2 * 8000);

  kernel.launch.blocks = 20 * 50;  // 50 waves of two blocks; three are simulated
  const auto many = simulate(kernel, stream, sim_device());
  CHECK(many.blocks == 100);
  CHECK(many.sm.block_end.size() == 2 * analytic::most_waves_in_step);
  CHECK(many.prediction.time.value() == Approx(1e-6 + (50 * 4000 + 49 * 400) * 1e-9).epsilon(0.01));
}

TEST_CASE("simulate (S9, A6): the launch waits for its stores while ends are noticed", "[sim]") {
  auto kernel = round_kernel(20, 1);  // two blocks on each of ten SMs
  kernel.phases[0].stored = Bytes{4};
  auto d = sim_device();
  const auto stream = uniform_stream({fma_op(4)}, {loop_step(1, 1000), run_step(0, 1)}, 8);
  const auto at_pace = [&](double next_block) {
    d.launch_over_blocks_and_threads = {{1, 2}, {256}, {1e-6, 1e-6 + next_block}, {}};
    return simulate(kernel, stream, d).prediction.time.value() * 1e9;
  };
  // 200 ns for the stores, and so much longer for the second block of an SM as that is beyond these and the
  // 26 cycles by which it ends later.
  const double none = at_pace(0);
  CHECK(at_pace(100e-9) == Approx(none));
  CHECK(at_pace(200e-9) == Approx(none).epsilon(0.002));
  CHECK(at_pace(500e-9) == Approx(none + 274).epsilon(0.001));
  // It is the device's pace: where half of the SMs have a block only, 375 of 500 ns.
  kernel.launch.blocks = 15;
  CHECK(at_pace(500e-9) == Approx(none + 149).epsilon(0.001));
}

TEST_CASE("steady state (S8): windows of trips hold enough of the SM's instructions", "[sim]") {
  const auto found_after = [](double work, int period) {
    SteadyState steady;
    for (int trips = 0;; ++trips) {
      TripMark mark;
      mark.issued = work * trips;
      mark.at = static_cast<Cycle>(mark.issued) + 7 * (trips * trips % period);
      steady.add(mark);
      if (steady.find()) return trips;
    }
  };
  // Every five trips repeat: no period that is looked for.
  CHECK(found_after(40000, 5) == 3);   // three windows of a trip
  CHECK(found_after(20000, 5) == 6);   // of two
  CHECK(found_after(10000, 5) == 12);  // of four
  CHECK(found_after(1000, 5) == 48);   // of sixteen, the longest
  CHECK(found_after(10000, 3) == 9);   // every three trips repeat
  CHECK(found_after(512, 1) == 16);    // equal trips, once they have lasted 8192 cycles
}

TEST_CASE("simulate (S9): many waves of stores take what their bandwidth allows", "[sim]") {
  auto kernel = round_kernel(20 * 50, 1);
  auto store = memory_op(Kind::global_store);
  store.sectors = 1000;
  // 100 blocks a SM x 32,000 B at a tenth of 100 B/cycle (the profile has no l2_write of its own).
  auto stream = uniform_stream({store}, {run_step(0, 1)}, 1);
  const auto s = simulate(kernel, stream, sim_device());
  CHECK(s.prediction.time.value() == Approx(1e-6 + 100 * 3200e-9).epsilon(0.01));
  // S6. The grid stores three quarters of what the block that was read would do in all places.
  stream.stored_bytes = 32000;
  kernel.streams = {{.tensor = "output", .written = true, .requested = Bytes{0.75 * 1000 * 32000}}};
  CHECK(simulate(kernel, stream, sim_device()).prediction.time.value() ==
        Approx(1e-6 + 75 * 3200e-9).epsilon(0.01));
  // Half of its sectors are stored to again.
  stream.stored_bytes = 0;
  stream.stored_again = 0.5;
  CHECK(simulate(kernel, stream, sim_device()).prediction.time.value() ==
        Approx(1e-6 + 100 * (1 + 0.5 * stand_in::stored_again_cost) * 3200e-9).epsilon(0.01));
}

TEST_CASE("simulate (S11): the interval follows the clock, and is empty where the profile has none",
          "[sim]") {
  auto device = sim_device();
  const auto stream = uniform_stream({fma_op(4)}, {loop_step(1, 1000), run_step(0, 1)}, 8);
  const auto kernel = round_kernel(10, 1);
  const auto exact = simulate(kernel, stream, device).prediction;
  CHECK(exact.low == exact.time);
  CHECK(exact.high == exact.time);
  ParameterInfo clock;
  clock.low = 0.8e9;
  clock.high = 1.25e9;
  device.sm_clock.set(Frequency{1e9}, clock);
  const auto p = simulate(kernel, stream, device).prediction;
  CHECK((p.high - p.time).value() == Approx(0.25 * (p.time.value() - 1e-6)));
  CHECK(p.low < p.time);
  ParameterInfo launch;
  launch.low = 0.9e-6;
  launch.high = 1.2e-6;
  device.launch_graph.set(Seconds{1e-6}, launch);
  const auto wider = simulate(kernel, stream, device).prediction;
  CHECK((wider.high - p.high).value() == Approx(0.2e-6));
  CHECK((p.low - wider.low).value() == Approx(0.1e-6));
}

TEST_CASE("simulate: an older device is refused", "[sim]") {
  auto device = sim_device();
  device.compute_capability_major = 6;
  CHECK_THROWS_AS(simulate(round_kernel(1, 1), tiled(1, 1), device), UnavailableError);
}

TEST_CASE("steady state (S8): trips that differ are skipped in proportion to their operations", "[sim]") {
  // 100 trips of 40 operations, then 300 of 10, as one loop.
  std::vector<StreamOp> ops(40, fma_op());
  const auto stream = uniform_stream(
      ops, {varying_loop_step(4), loop_step(1, 100), run_step(0, 40), loop_step(1, 300), run_step(0, 10)}, 1);
  CHECK(issued_instructions(stream) == 7000);
  SmWork work;
  const auto r = simulate_sm(stream, round_core(), work);
  CHECK(r.skipped_trips > 300);
  CHECK(r.issued == Approx(7000));
  CHECK(r.cycles == Approx(7000).epsilon(0.001));
  work.extrapolate = false;
  CHECK(simulate_sm(stream, round_core(), work).cycles == 6999);
}

TEST_CASE("steady state (S8): parts of trips count, too", "[sim]") {
  // Two warps that do not wait for each other, 60 trips of 5000 operations and of 5700, four cycles each:
  // while the one makes ten trips, the other makes 8.77.
  InstructionStream stream;
  stream.ops.assign(5700, fma_op(4));
  for (const std::int32_t each : {5000, 5700})
    stream.roles.push_back({"", {loop_step(1, 60), run_step(0, each)}});
  stream.role_of_warp = {0, 1};
  SmWork work;
  const auto fast = simulate_sm(stream, round_core(), work);
  CHECK(fast.skipped_trips > 30);
  CHECK(fast.issued == 60 * 10700);
  CHECK(fast.cycles == Approx(60 * 5700 * 4).epsilon(0.005));
}
