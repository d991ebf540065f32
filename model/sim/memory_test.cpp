// S4 to S6: memory pipeline, barriers, L2 and DRAM. The warp's last instruction is issued in the cycle that
// is checked.

#include <cmath>

#include "model/sim/decode.hpp"
#include "model/sim/memory_system.hpp"
#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

namespace {

InstructionStream once(std::vector<StreamOp> ops, int warps = 1) {
  const auto count = static_cast<std::int32_t>(ops.size());
  return uniform_stream(std::move(ops), {run_step(0, count)}, warps);
}

}  // namespace

TEST_CASE("shared memory (S4): a load's use waits for its latency, and for its further wavefronts", "[sim]") {
  auto load = memory_op(Kind::shared_load, 0);
  CHECK(cycles_of_block(once({load, waiting(fma_op(), 1)}), round_core()) == 20);
  load.wavefronts = 4;
  CHECK(cycles_of_block(once({load, waiting(fma_op(), 1)}), round_core()) == 23);
}

TEST_CASE("shared memory (S4): a wavefront a cycle for the whole SM", "[sim]") {
  auto p = round_core();
  p.schedulers = 4;
  auto load = memory_op(Kind::shared_load, 0);
  load.stall = 1;
  load.wavefronts = 8;
  // 4 warps x 100 loads x 8 wavefronts; the first is taken in cycle 10, the last at 10 + 399 x 8, and its
  // data are there 10 + 7 cycles later.
  const auto stream =
      uniform_stream({load, waiting(fma_op(), 1)}, {loop_step(1, 100), run_step(0, 1), run_step(1, 1)}, 4);
  CHECK(cycles_of_block(stream, p) == 10 + 399 * 8 + 17);
}

TEST_CASE("shared memory (S4): parts of cycles add up", "[sim]") {
  auto p = round_core();
  p.schedulers = 4;
  auto load = memory_op(Kind::shared_load, 0);
  load.stall = 1;
  load.wavefronts = 1.25;  // one in four has a conflict
  const auto stream =
      uniform_stream({load, waiting(fma_op(), 1)}, {loop_step(1, 100), run_step(0, 1), run_step(1, 1)}, 4);
  // The last of 4 x 100 is taken 399 x 1.25 cycles after the first, in the next whole one, but that it enters
  // the SM's queue a cycle after one has left, and is its warp's second in a row; its data are there 10 + 1
  // cycles later.
  CHECK(cycles_of_block(stream, p) == Approx(10 + 499 + 11).margin(2));
}

TEST_CASE("shared memory (S4): a scheduler reads the registers of one instruction after the other", "[sim]") {
  auto store = memory_op(Kind::shared_store);
  store.stall = 1;
  store.width_bytes = 16;  // address and four data registers: 5 x 4 cycles each
  store.read_barrier = 0;
  const auto stream =
      uniform_stream({store, waiting(fma_op(), 1)}, {loop_step(1, 10), run_step(0, 1), run_step(1, 1)}, 1);
  // The first is read after 10 + 3 x 4 cycles, the tenth 9 x 20 later.
  CHECK(cycles_of_block(stream, round_core()) == 22 + 9 * 20);
}

TEST_CASE("memory queue (S4): two places of the SM and three of the scheduler, the sixth waits for the first",
          "[sim]") {
  auto load = memory_op(Kind::shared_load);
  load.stall = 1;
  const auto of = [&](int n) { return uniform_stream({load}, {loop_step(1, n), run_step(0, 1)}, 1); };
  CHECK(cycles_of_block(of(5), round_core()) == 4);
  CHECK(cycles_of_block(of(6), round_core()) == 10);
  CHECK(cycles_of_block(of(7), round_core()) == 14);
}

TEST_CASE(
    "reads among stores (S6): they put off what L2 has yet to take, more where sectors are filled in part",
    "[sim]") {
  CoreParameters p;
  p.l2_read = p.l2_write = 32;
  p.store_port_bytes_per_cycle = p.port_bytes_per_cycle = 1000;
  const auto taken = [&](double bytes, bool read) {
    MemorySystem memory(p, {}, 1);
    memory.store(0, {.sectors = 100, .packets = 100, .bytes = bytes});
    if (read) memory.load(10, 0, {.sectors = 50});
    return memory.stores_taken();
  };
  const auto alone = taken(3200, false);
  CHECK(taken(3200, true) == alone + 20);                       // 0.4 x 50
  CHECK(std::abs(taken(1600, true) - (alone + 20 + 38)) <= 1);  // 1.53 x 0.5 x 50 more
}

TEST_CASE("barriers (S5): all wait for the last, whose arrivals come one after the other", "[sim]") {
  auto p = round_core();
  p.barrier_interval = 2;
  StreamOp barrier;
  barrier.kind = Kind::barrier;
  // Two warps: issued in 0 and 1, ready in 10 and 11, arriving in 10 and 12, released 10 later, the second
  // FMA a cycle after the first.
  CHECK(cycles_of_block(once({barrier, fma_op()}, 2), p) == 23);
  SmWork work;
  CHECK(simulate_sm(once({barrier, fma_op()}, 2), p, work).stalls[Cause::barrier] > 30);
}

TEST_CASE("barriers (S5): a barrier waits for no stores, with or without room, read or not", "[sim]") {
  auto p = round_core();
  p.queue_entries = 4;
  p.store_packets_held = 64;
  auto store = memory_op(Kind::global_store);
  store.stall = 1;
  store.sectors = 64;
  StreamOp barrier;
  barrier.kind = Kind::barrier;
  // The stores' registers are read from 10, 18 and 26 on, 8 cycles each; the second and the third store leave
  // in 43 and 76. The barrier, issued in 3, is there in 13 and opens 10 later.
  CHECK(cycles_of_block(once({store, store, store, barrier, fma_op()}), p) == 13 + 10);
  auto shared = memory_op(Kind::shared_store);
  shared.stall = 1;
  shared.width_bytes = 16;
  shared.wavefronts = 8;
  CHECK(cycles_of_block(once({shared, shared, barrier, fma_op()}), p) == 12 + 10);
  // What it lets past reads them: a load behind it comes when they have passed.
  auto load = memory_op(Kind::shared_load, 0);
  const auto behind = [&](const std::vector<StreamOp>& ops) { return cycles_of_block(once(ops), p); };
  CHECK(behind({shared, shared, barrier, load, waiting(fma_op(), 1)}) >
        behind({shared, barrier, load, waiting(fma_op(), 1)}) + 10);
}

TEST_CASE("barriers (S5): what follows within six cycles of a barrier is issued before it holds", "[sim]") {
  StreamOp barrier;
  barrier.kind = Kind::barrier;
  auto p = round_core();
  p.barrier_begin = 6;
  // Arrived at in 10, opened in 20. The first FMA is issued in 1, and its stall count passes meanwhile; with
  // a stall count of 6 the barrier holds it until 20.
  CHECK(cycles_of_block(once({barrier, fma_op(8), fma_op()}), p) == 20);
  barrier.stall = 6;
  CHECK(cycles_of_block(once({barrier, fma_op(8), fma_op()}), p) == 28);
}

TEST_CASE("barriers (S5): a named barrier of some warps leaves the others alone", "[sim]") {
  StreamOp barrier;
  barrier.kind = Kind::barrier;
  barrier.barrier_id = 3;
  barrier.barrier_warps = 2;
  auto stream = uniform_stream({barrier, fma_op()}, {run_step(0, 2)}, 3);
  stream.roles.push_back({"free", {run_step(1, 1)}});
  stream.role_of_warp = {0, 0, 1};
  // The third warp goes first: the barrier is issued in 1 and 2, reached in 11 and 13, left in 23 and 24.
  CHECK(cycles_of_block(stream, round_core()) == 24);
  stream.role_of_warp = {0, 1, 1};
  CHECK_THROWS_AS(cycles_of_block(stream, round_core()), InputError);  // one warp waits forever
}

TEST_CASE("memory pipe (S4): loads and copies through L1 take a cycle for each wavefront", "[sim]") {
  // Each scheduler's instruction at a time; what comes back does not matter.
  const auto cycles_each = [](StreamOp op) {
    op.l1_hit = 1;
    op.address_registers = 0;
    const auto stream = uniform_stream({op}, {loop_step(1, 1000), run_step(0, 1)}, 4);
    return std::lround(static_cast<double>(cycles_of_block(stream, round_core())) / 4000);
  };
  auto load = memory_op(Kind::global_load);
  load.sectors = load.wavefronts = 16;  // each sector in the same banks
  CHECK(cycles_each(load) == 16);
  load.wavefronts = 4;
  CHECK(cycles_each(load) == 4);
  auto copy = memory_op(Kind::async_copy);
  copy.sectors = 8;
  copy.wavefronts = 1;
  CHECK(cycles_each(copy) == 2);  // right behind another copy
  copy.wavefronts = 32;           // lanes of one word
  CHECK(cycles_each(copy) == 33);
  const auto accept = [](const StreamOp& op) { return decode(once({op}), round_core()).ops[0].accept; };
  copy.l1_hit = 1;
  CHECK(accept(copy) == 32);
  copy.past_l1 = true;
  CHECK(accept(copy) == 1);
  CHECK(cycles_each(copy) == 32);  // behind another

  // Lines that L1 has not, one after the other.
  load.wavefronts = 4;
  load.lines = 16;
  CHECK(cycles_each(load) == 6);  // their tags
  CHECK(accept(load) == 16);
  load.l1_hit = 0.5;
  CHECK(accept(load) == Approx(0.5 * 0.37 * 16 + 0.5 * 16));
}

TEST_CASE("memory pipe (S4): loads wait for L1's banks, not shared accesses behind them", "[sim]") {
  auto load = memory_op(Kind::global_load);
  load.l1_hit = 1;
  load.sectors = load.wavefronts = load.lines = 32;
  auto shared = memory_op(Kind::shared_load, 0);
  const auto use = waiting(fma_op(), 1);
  const auto alone = cycles_of_block(once({shared, use}), round_core());
  CHECK(cycles_of_block(once({load, shared, use}), round_core()) == alone + 12);  // tags: 0.37 * 32 cycles
  auto four = once({load, load, load, load, shared, use});
  CHECK(cycles_of_block(four, round_core()) <= alone + 4 * 12 + 2);
  // Of 32 loads 16 wait for banks when the shared load's turn comes.
  std::vector<StreamOp> ops(32, load);
  ops.push_back(shared);
  ops.push_back(use);
  const auto end = cycles_of_block(once(ops), round_core());
  CHECK(end >= 15 * 32);
  CHECK(end <= 17 * 32 + alone);
}

TEST_CASE("global memory (S6): a line takes the SM's port for some cycles, however little of it is asked for",
          "[sim]") {
  const auto p = round_core();
  const auto last = [&](double lines) {
    MemorySystem memory(p, {.active_sms = 1}, 1);
    MemoryRequest request{.sectors = 8};
    request.lines = lines;
    request.line_cycles = 1.5;
    for (int i = 0; i < 9; ++i)
      memory.load(0, 0, request);
    return memory.load(0, 0, request);
  };
  CHECK(last(2) == 200 + 10 * 8 * 32 / 64);  // whole lines: the port's bytes
  CHECK(last(8) == 200 + 10 * 8 * 1.5);
}

TEST_CASE("global memory (S6): L2 and DRAM latency; what misses is counted in whole sectors", "[sim]") {
  auto load = memory_op(Kind::global_load, 0);
  load.sectors = 2;
  const auto use = waiting(fma_op(), 1);
  CHECK(cycles_of_block(once({load, use}), round_core()) == 201);  // 64 B at 64 B/cycle behind 200 cycles
  load.dram_share = 1;
  CHECK(cycles_of_block(once({load, use}), round_core()) == 502);  // 64 B at 32 B/cycle behind 500 cycles
  load.l1_hit = 1;
  CHECK(cycles_of_block(once({load, use}), round_core()) == 32);
  MemorySystem memory(round_core(), {.active_sms = 1}, 1);
  for (int i = 0; i < 8; ++i)
    memory.load(0, 0, {1, 0.25});
  CHECK(memory.dram_bytes() == 2 * 32);
}

TEST_CASE("global memory (S6): what L1 has not comes back to a warp in its order", "[sim]") {
  auto far = memory_op(Kind::global_load, 0);
  far.sectors = 1;
  far.dram_share = 1;
  auto near = memory_op(Kind::global_load, 1);
  near.sectors = 1;
  near.dram_share = 0;
  const auto use = waiting(fma_op(), 2);
  const auto alone = cycles_of_block(once({near, use}), round_core());
  CHECK(alone == 201);
  CHECK(cycles_of_block(once({far, near, use}), round_core()) == 502);  // a wavefront behind the one before
  near.l1_hit = 1;
  CHECK(cycles_of_block(once({far, near, use}), round_core()) < 50);
  // Another warp's: no matter.
  near.l1_hit = 0;
  auto stream = uniform_stream({far, near, use}, {run_step(0, 1)}, 2);
  stream.roles.push_back({"other", {run_step(1, 2)}});
  stream.role_of_warp = {0, 1};
  CHECK(cycles_of_block(stream, round_core()) < 210);
}

TEST_CASE("local memory (S16): of loads L1 has some whole, the others are L2's", "[sim]") {
  auto load = memory_op(Kind::global_load, 1);
  load.local = true;
  load.sectors = 4;
  load.dram_share = 0;
  load.l1_hit = 1;
  const auto use = waiting(fma_op(), 2);
  CHECK(cycles_of_block(once({load, use}), round_core()) == 29);
  load.l1_hit = 0;
  CHECK(cycles_of_block(once({load, use}), round_core()) == 202);  // 128 B at 64 B/cycle behind 200 cycles
  load.l1_hit = 0.5;                                               // every second one
  CHECK(cycles_of_block(once({load, use, load, use}), round_core()) == 29 + 1 + 202);
  CHECK(cycles_of_block(once({load, use}), round_core()) == 29);
}

TEST_CASE("global memory (S6): the other SMs take their share of the bandwidth", "[sim]") {
  auto p = round_core();
  p.l2_read = 640;
  MemorySystem alone(p, {.active_sms = 1}, 1), crowded(p, {.active_sms = 20}, 1);
  CHECK(alone.load(0, 0, {64, 0}) == 200 + 64 * 32 / 64);    // the port
  CHECK(crowded.load(0, 0, {64, 0}) == 200 + 64 * 32 / 32);  // 640 / 20
}

TEST_CASE("async copies (S6): a warp waits for all groups but the newest", "[sim]") {
  auto copy = memory_op(Kind::async_copy);
  copy.sectors = 2;
  StreamOp commit, wait;
  commit.kind = Kind::commit_group;
  wait.kind = Kind::wait_groups;
  wait.groups = 1;
  auto late = copy;
  late.dram_share = 1;
  // The first group from L2, the second from DRAM: only the first is waited for, and later both.
  const auto waits_for_first = once({copy, commit, late, commit, wait});
  CHECK(cycles_of_block(waits_for_first, round_core()) < 230);
  wait.groups = 0;
  CHECK(cycles_of_block(once({copy, commit, late, commit, wait}), round_core()) > 500);
}

TEST_CASE("pipeline (S6): loads one trip ahead hide the latency, or the bandwidth limits", "[sim]") {
  auto p = round_core();
  // Each trip loads for the next one, works for `work` cycles, then waits for what it loaded.
  const auto pipelined = [&](int work, double sectors) {
    auto load = memory_op(Kind::global_load, 0);
    load.sectors = sectors;
    std::vector<StreamOp> ops{load};
    for (int i = 1; i < work; ++i)
      ops.push_back(fma_op());
    ops.push_back(waiting(fma_op(), 1));
    const auto count = static_cast<std::int32_t>(ops.size());
    return uniform_stream(ops, {loop_step(1, 100), run_step(0, count)}, 1);
  };
  CHECK(cycles_of_block(pipelined(400, 2), p) == Approx(100 * 402).margin(10));           // work
  CHECK(cycles_of_block(pipelined(50, 2), p) == Approx(100 * (200 + 1 + 1)).margin(10));  // latency
  CHECK(cycles_of_block(pipelined(50, 2000), p) ==
        Approx(100 * (200 + 1001)).margin(200));  // 64,000 B at 64 B/cycle
}

TEST_CASE("determinism (S6): the same seed gives the same cycles", "[sim]") {
  auto p = round_core();
  p.l2.far = 300;  // near or far, drawn
  auto load = memory_op(Kind::global_load, 0);
  load.sectors = 4;
  const auto stream = uniform_stream({load, waiting(fma_op(), 1)}, {loop_step(1, 50), run_step(0, 2)}, 4);
  SmWork work;
  const auto first = simulate_sm(stream, p, work).cycles;
  CHECK(simulate_sm(stream, p, work).cycles == first);
  work.seed = 2;
  CHECK(simulate_sm(stream, p, work).cycles != first);
}

TEST_CASE("first access (S14): the launch's first loads take longer", "[sim]") {
  auto p = round_core();
  p.first_access = 300;
  MemorySystem memory(p, {.active_sms = 1}, 1);
  CHECK(memory.load(10, 0, {2, 0}) == 10 + 300 + 200 + 1);
  CHECK(memory.load(110, 0, {2, 0}) == 10 + 300 + 200 + 1);
  CHECK(memory.load(400, 0, {2, 0}) == 400 + 200 + 1);
}

TEST_CASE("stores (S6): an SM holds so many packets; the next store, and all behind it, wait", "[sim]") {
  auto p = round_core();
  p.store_port_bytes_per_cycle = 32;
  p.store_packets_held = 3 * 64, p.store_bytes_unsent = 1e9;
  auto store = memory_op(Kind::global_store);
  store.stall = 1;
  store.sectors = 64;  // 64 cycles of the port, 32 of the pipe
  // The first leaves in cycle 10, the others 32 cycles after each other; a load behind them is there 10
  // later. The first three are gone 65, 129 and 193 cycles after cycle 10: the sixth waits for the third of
  // these.
  const auto then_load = [&](int n) {
    auto stream = uniform_stream({store, waiting(memory_op(Kind::shared_load, 0), 0), waiting(fma_op(), 1)},
                                 {loop_step(1, n), run_step(0, 1), run_step(1, 2)}, 1);
    return cycles_of_block(stream, p);
  };
  CHECK(then_load(3) == 10 + 3 * 32 + 10);
  CHECK(then_load(4) == 10 + 4 * 32 + 10);
  CHECK(then_load(6) == 203 + 32 + 10);
  store.dram_share = 1;  // 64 cycles of DRAM: L2 does not wait for it
  CHECK(then_load(6) == 203 + 32 + 10);
  store.stored_bytes = 64 * 8;  // of each sector a quarter: as many packets
  CHECK(then_load(6) == 203 + 32 + 10);
  store.masks = 32;  // 96 cycles of the port each, room for two: the sixth waits for the fourth
  CHECK(then_load(6) == 10 + 4 * 96 + 1 + 32 + 10);
}

TEST_CASE("stores (S6): those of neighbouring warps that follow each other send a line once", "[sim]") {
  auto p = round_core();
  p.store_port_bytes_per_cycle = 32;
  auto store = memory_op(Kind::global_store);
  store.sectors = 50;
  store.masks = 20;
  const auto taken = [&](int warps) {
    return simulate_sm(uniform_stream({store}, {run_step(0, 1)}, warps), p, {}).stores_done;
  };
  const auto one = taken(1), four = taken(4);
  CHECK(four - one == Approx(3 * 70).margin(1));
  store.joined_behind = 30;
  CHECK(taken(1) == one);
  CHECK(taken(4) - one == Approx(3 * 40).margin(1));
}

TEST_CASE("stores (S6): sectors in lines of their own take longer", "[sim]") {
  auto p = round_core();
  p.store_port_bytes_per_cycle = 32;
  MemorySystem memory(p, {.active_sms = 1}, 1);
  CHECK(memory.store(0, {.sectors = 100, .lone = 100}) == 160);
  CHECK(MemorySystem(p, {.active_sms = 4}, 1).store(0, {.sectors = 100, .lone = 100}) ==
        280);  // 16 B/cycle of L2
}

TEST_CASE("stores (S6): of the SMs in use some are in fuller GPCs", "[sim]") {
  auto p = round_core();
  p.sms = 100;
  const auto taken = [&](double used) {
    return MemorySystem(p, {.active_sms = 10, .used_sms = used}, 1).store(0, {.sectors = 100});
  };
  CHECK(taken(0) == 3200 / 6.4);
  CHECK(taken(100) == std::ceil(3200 / (0.95 * 6.4)));
  CHECK(taken(76) == std::ceil(3200 / (0.79 * 6.4)));
}

TEST_CASE("stores (S6): what DRAM has to write is load that reads find there", "[sim]") {
  auto p = round_core();
  const Curve curve{.x = {0, 1e9, 2e9}, .y = {500, 500, 900}};
  p.dram.over_load = &curve;
  p.dram_write = 1e6;
  MemorySystem idle(p, {.active_sms = 1}, 1), busy(p, {.active_sms = 1}, 1);
  for (int i = 0; i < 2048; ++i)
    busy.store(i, {.sectors = 1, .dram_share = 1});
  CHECK(idle.load(2048, 0, {1, 1}) - 2048 == 501);
  CHECK(busy.load(2048, 0, {1, 1}) - 2048 > 801);  // 32 bytes a cycle of 1 GHz are beyond the curve
}

TEST_CASE("stores (S6): DRAM has each byte once", "[sim]") {
  MemorySystem memory(round_core(), {.active_sms = 1}, 1);
  memory.store(0, {.sectors = 16, .dram_share = 1, .packets = 20, .bytes = 128});
  CHECK(memory.dram_bytes() == 128);
  memory.store(0, {.sectors = 16, .dram_share = 0.5});
  CHECK(memory.dram_bytes() == 128 + 8 * 32);
}

TEST_CASE("stores (S6): the SM's port and L2's share take packets", "[sim]") {
  auto p = round_core();
  p.store_port_bytes_per_cycle = 32;
  p.l2_write = 320;
  const auto cycles = [&](double sms, std::optional<double> packets) {
    return MemorySystem(p, {.active_sms = sms}, 1).store(0, {.sectors = 10, .packets = packets});
  };
  CHECK(cycles(1, std::nullopt) == 10);  // a sector a cycle
  CHECK(cycles(1, 14) == 14);            // four lines' masks
  CHECK(cycles(20, 10) == 20);           // 320 B/cycle by 20 SMs
  CHECK(cycles(20, 14) == 28);
  CHECK(cycles(1, 0) == 0);  // all go with the warp's store before
  // A4: longer among others than it reads among them.
  MemorySystem storing(p, {.active_sms = 20, .storing_sms = 40}, 1);
  CHECK(storing.store(0, {.sectors = 10}) == 40);
}

TEST_CASE("stores (S6): those of SMs out of step have what the others leave of L2", "[sim]") {
  auto p = round_core();
  p.store_port_bytes_per_cycle = 32;
  p.l2_write = 320;
  const auto second = [&](Cycle at, double in_step) {
    MemorySystem memory(p, {.active_sms = 20}, 1);
    CHECK(memory.store(0, {.sectors = 100}) == 200);  // the first wave: 320 B/cycle by 20 SMs
    return memory.store(at, {.sectors = 100, .in_step = in_step}) - at;
  };
  CHECK(second(1000, 1) == 200);
  CHECK(second(1000, 0) == 100);  // the port's; L2 has been busy for a fifth of the time
  CHECK(second(250, 0) == 160);   // for four fifths of it
  CHECK(second(200, 0) == 200);
}

TEST_CASE("stores (S6): L2 takes no more of all SMs than it can, out of step or not", "[sim]") {
  auto p = round_core();
  p.store_port_bytes_per_cycle = 32;
  p.l2_write = 320;
  // 100 sectors that take L2 200 cycles, the first after 1000; from then on again and again.
  const auto tenth = [&](Cycle every) {
    MemorySystem memory(p, {.active_sms = 20}, 1);
    Cycle taken = memory.store(1000, {.sectors = 100});
    for (int i = 1; i < 10; ++i)
      taken = memory.store(1000 + i * every, {.sectors = 100, .in_step = 0});
    return taken - 1000;
  };
  CHECK(tenth(100) == 2000);
  CHECK(tenth(400) <= 3600 + 160);
}

TEST_CASE("memory (S6): requests that L2 serves together take its bandwidth once, each SM's port whole",
          "[sim]") {
  auto p = round_core();
  p.l2_read = 320;
  const auto last_of_two = [&](double together) {
    MemorySystem memory(p, {.active_sms = 10, .read_together = together}, 1);
    memory.load(0, 0, {.sectors = 40});
    return memory.load(0, 0, {.sectors = 40});
  };
  // 2 x 1280 bytes at 32 bytes a cycle; at 48; at the port's 64. Each time on top of the latency.
  const Cycle alone = last_of_two(1);
  CHECK(alone - last_of_two(1.5) == Approx(80 - 2560 / 48.0).margin(1));
  CHECK(alone - last_of_two(4) == 40);
}

TEST_CASE("memory (S12): an SM that reads more than the others has more of L2 and DRAM", "[sim]") {
  const auto last_of = [](double reads_more) {
    MemorySystem memory(round_core(), {.active_sms = 4, .reads_more = reads_more}, 1);
    Cycle come = 0;
    for (int i = 0; i < 100; ++i)
      come = memory.load(0, 0, {.sectors = 16, .dram_share = 1});
    return static_cast<double>(come);
  };
  // 51,200 bytes at 8 and at 16 a cycle.
  CHECK(last_of(1) - last_of(2) == Approx(3200).epsilon(0.02));
}
