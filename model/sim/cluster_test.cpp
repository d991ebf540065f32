// S12 on an SM of round numbers.

#include <cmath>

#include "model/sim/memory_system.hpp"
#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

namespace {

StreamOp plain(Kind kind) {
  StreamOp op;
  op.kind = kind;
  return op;
}

StreamOp plain_fence() {
  auto op = plain(Kind::fence);
  op.stall = 1;
  return op;
}

// Fences of 250 cycles, 300 more behind global accesses, of which stores take at least so many.
CoreParameters fence_core(int behind_stores) {
  auto p = round_core();
  p.fence = 250;
  p.fence_behind = 300;
  p.fence_behind_stores = behind_stores;
  return p;
}

Cycle cycles_of(const std::vector<StreamOp>& ops, const CoreParameters& p, int warps = 1) {
  const auto count = static_cast<std::int32_t>(ops.size());
  return simulate_sm(uniform_stream(ops, {run_step(0, count)}, warps), p, {}).cycles;
}

}  // namespace

TEST_CASE("clusters (S12): the barrier opens when the last warp's arrival has been counted", "[sim]") {
  auto p = round_core();
  p.cluster_release = 100;
  p.barrier_interval = 10;
  const std::vector<StreamOp> ops{plain(Kind::cluster_arrive), plain(Kind::cluster_wait)};
  CHECK(cycles_of(ops, p) == 10 + 100);
  // The second warp arrives a cycle later, but counting the first takes ten.
  CHECK(cycles_of(ops, p, 2) == 2 * 10 + 100 + 1);
  const std::vector<StreamOp> twice{ops[0], ops[1], ops[0], ops[1]};
  CHECK(cycles_of(twice, p) == 2 * (10 + 100) + 1);
}

TEST_CASE("clusters (S12): a block waits for the last of its cluster, by the time since they last met",
          "[sim]") {
  auto p = round_core();
  p.cluster_release = 100;
  const auto cycles = [&](int fmas, int meetings, double last_of_cluster) {
    std::vector<StreamOp> ops;
    for (int i = 0; i < meetings; ++i) {
      ops.insert(ops.end(), static_cast<std::size_t>(fmas), fma_op());
      ops.insert(ops.end(), {plain(Kind::cluster_arrive), plain(Kind::cluster_wait)});
    }
    const auto count = static_cast<std::int32_t>(ops.size());
    SmWork work;
    work.last_of_cluster = last_of_cluster;
    return simulate_sm(uniform_stream(ops, {run_step(0, count)}, 1), p, work).cycles;
  };
  const auto more = [&](int fmas, int meetings) {
    return static_cast<double>(cycles(fmas, meetings, 2) - cycles(fmas, meetings, 0));
  };
  // Short times deviate by 0.036 of them, long ones by 3.5 times their root (S9).
  CHECK(more(1000, 1) == Approx(2 * 0.036 * 1000).margin(2));
  CHECK(more(20000, 1) == Approx(2 * 3.5 * std::sqrt(20000)).margin(4));
  // Each meeting counts from the one before.
  CHECK(more(1000, 2) == Approx(2 * more(1000, 1)).margin(3));
}

// A fence comes to the pipe 10 cycles after its issue.
TEST_CASE("clusters (S12): a fence waits for the SM's stores, and longer behind global accesses", "[sim]") {
  auto p = fence_core(320);
  CHECK(cycles_of({plain(Kind::fence), fma_op()}, p) == 10 + 250);
  auto store = memory_op(Kind::global_store);
  store.sectors = 2;
  // Its sources are read after 10 cycles, its 64 B are with L2 a cycle later.
  const auto wait = plain_fence();
  std::vector<StreamOp> ops{store};
  for (int i = 0; i < 20; ++i)
    ops.push_back(fma_op());
  ops.push_back(wait);
  ops.push_back(fma_op());
  CHECK(cycles_of(ops, p) == 22 + 10 + 300 + 250);
  store.sectors = 100;  // 3200 B at 64 B/cycle: taken in cycle 61
  ops[0] = store;
  CHECK(cycles_of(ops, p) == 61 + 320 + 250);
  ops.push_back(wait);  // nothing since the first one
  ops.push_back(fma_op());
  CHECK(cycles_of(ops, p) == 61 + 320 + 250 + 1 + 10 + 250);
}

TEST_CASE("clusters (S12): a fence waits for the stores that its scheduler has still to hand on", "[sim]") {
  auto p = fence_core(280);
  p.queue_entries = 8;
  auto store = memory_op(Kind::global_store);
  store.sectors = 40;  // 20 cycles each
  const auto wait = plain_fence();
  const auto cycles = [&](int stores) {
    std::vector<StreamOp> ops(static_cast<std::size_t>(stores), store);
    ops.insert(ops.end(), {wait, fma_op()});
    return cycles_of(ops, p);
  };
  CHECK(cycles(5) - cycles(1) >= 4 * 20);
}

TEST_CASE("clusters (S12): more than eight fences of an SM wait for the first of them", "[sim]") {
  auto p = round_core();
  p.fence = 250;
  p.fence_interval = 60;
  const auto wait = plain_fence();
  const auto cycles = [&](int warps) {
    return cycles_of_block(uniform_stream({wait, fma_op()}, {run_step(0, 2)}, warps), p);
  };
  p.queue_entries = 40;
  CHECK(cycles(8) - cycles(1) <= 8);
  CHECK(cycles(16) - cycles(8) == Approx(60).margin(8));
  CHECK(cycles(32) - cycles(8) == Approx(3 * 60).margin(24));
}

TEST_CASE("clusters (S12): a fence takes longer behind more accesses", "[sim]") {
  auto p = fence_core(0);
  const auto wait = plain_fence();
  const auto longer = [&](int accesses, int fences) {
    auto store = memory_op(Kind::global_store);
    store.sectors = 2;
    std::vector<StreamOp> ops(static_cast<std::size_t>(accesses), store);
    ops.insert(ops.end(), 100, fma_op());
    for (int i = 0; i < fences; ++i)
      ops.insert(ops.end(), {wait, fma_op()});
    p.fence_each_fourfold = 0;
    const auto few = cycles_of(ops, p);
    p.fence_each_fourfold = 40;
    return cycles_of(ops, p) - few;
  };
  CHECK(longer(1, 1) == 0);
  CHECK(longer(4, 1) == 40);
  CHECK(longer(16, 1) == 2 * 40);
  CHECK(longer(64, 1) == 3 * 40);
  CHECK(longer(100, 1) == 3 * 40);
  CHECK(longer(16, 2) == 2 * 40);  // nothing since the first one
}

TEST_CASE("clusters (S12): a fence waits for one that is under way, or for the next one", "[sim]") {
  auto p = fence_core(0);
  p.schedulers = 2;
  p.fence_behind_fence = 200;
  p.fence_behind_fence_stored = 260;
  auto access = memory_op(Kind::global_store);
  access.sectors = 2;
  auto load = memory_op(Kind::global_load);
  load.sectors = 2;
  const auto wait = plain_fence();
  // The first warp accesses; its fence comes to the pipe in cycle 32, and all is visible in cycle 332.
  std::vector<StreamOp> ops{load};
  ops.insert(ops.end(), 20, fma_op());
  ops.insert(ops.end(), {wait, fma_op()});
  const auto first = static_cast<std::int32_t>(ops.size());
  const auto cycles = [&](const std::vector<StreamOp>& second) {
    auto all = ops;
    all.insert(all.end(), second.begin(), second.end());
    auto stream = uniform_stream(all, {run_step(0, first)}, 2);
    stream.roles.push_back({"second", {run_step(first, static_cast<std::int32_t>(second.size()))}});
    stream.role_of_warp = {0, 1};
    return simulate_sm(stream, p, {}).cycles;
  };
  // The second warp's fence, in cycle 210, takes as long, or a round more where its warp has accessed since.
  std::vector<StreamOp> second(200, fma_op());
  second.push_back(wait);
  second.insert(second.end(), 100, fma_op());
  CHECK(cycles(second) == 332 + 250 + 99);
  second[100] = load;
  CHECK(cycles(second) == 332 + 200 + 250 + 99);
  second[100] = access;
  CHECK(cycles(second) == 332 + 260 + 250 + 99);
}

TEST_CASE("clusters (S12): loads from other blocks' shared memory share a bandwidth; own ones do not",
          "[sim]") {
  auto p = round_core();
  p.cluster_latency = 200;
  p.cluster_bytes_per_cycle = 16;
  auto load = memory_op(Kind::cluster_load, 0);
  load.width_bytes = 16;
  load.stall = 1;
  const auto use = waiting(fma_op(), 1);
  CHECK(cycles_of({load, use}, p) == 32 + 200);  // its 512 B, and their way
  std::vector<StreamOp> many(20, load);
  many.push_back(use);
  // 20 x 512 B at 16 B/cycle.
  CHECK(cycles_of(many, p) == 20 * 32 + 200);
  load.lanes = 8;
  CHECK(cycles_of({load, use}, p) == 8 + 200);
  load.l1_hit = 1;
  CHECK(cycles_of({load, use}, p) < 50);
}

TEST_CASE("clusters (S12): all blocks ask the same one, whose port sends twice as fast as it does both",
          "[sim]") {
  auto p = round_core();
  p.cluster_latency = 200;
  p.cluster_bytes_per_cycle = 16;
  p.cluster_blocks = 4;
  MemorySystem memory(p, {.active_sms = 1}, 1);
  // 512 B take 32 cycles here, those of four blocks 64 there.
  CHECK(memory.cluster_load(0, 0, 512, 0, 0) == 64 + 200);
  CHECK(memory.cluster_load(0, 0, 512, 0, 1) == 2 * 64 + 200);
  CHECK(memory.cluster_load(0, 0, 512, 1, 2) == 3 * 32 + 200);  // the third here, the first there
  // A warp's loads go through the blocks in turn: four of them wait for this SM's port, eight of 512 B.
  auto load = memory_op(Kind::cluster_load, 0);
  load.width_bytes = 16;
  load.stall = 1;
  std::vector<StreamOp> many(8, load);
  many.push_back(waiting(fma_op(), 1));
  CHECK(cycles_of(many, p) == 8 * 32 + 200);
}

TEST_CASE("clusters (S12): a lone warp waits at the first port only, until the blocks meet again", "[sim]") {
  auto p = round_core();
  p.cluster_latency = 200;
  p.cluster_bytes_per_cycle = 16;
  p.cluster_blocks = 8;
  MemorySystem memory(p, {.active_sms = 1}, 1);
  // 512 B take 32 cycles here, those of eight blocks 128 there: the last block's warp comes to the second
  // port 128 cycles behind the first one's.
  CHECK(memory.cluster_load(0, 0, 512, 0, 0) == 128 + 200);
  CHECK(memory.cluster_load(328, 0, 512, 1, 0) == 328 + 32 + 200);
  CHECK(memory.cluster_load(560, 0, 512, 2, 0) == 560 + 32 + 200);
  // Half of its lanes: half of it.
  CHECK(memory.cluster_load(792, 0, 256, 3, 0) == 792 + 16 + 200);
  memory.cluster_meets();
  CHECK(memory.cluster_load(2000, 0, 512, 4, 0) == 2000 + 128 + 200);
  // Two that are under way together wait together.
  memory.cluster_meets();
  CHECK(memory.cluster_load(4000, 0, 512, 0, 0) == 4000 + 128 + 200);
  CHECK(memory.cluster_load(4001, 0, 512, 1, 0) == 4001 + 128 + 200);
  CHECK(memory.cluster_load(4400, 0, 512, 2, 0) == 4400 + 32 + 200);
  // Several warps are not in step with those of other blocks.
  memory.cluster_meets();
  CHECK(memory.cluster_load(6000, 0, 512, 0, 0) == 6000 + 128 + 200);
  CHECK(memory.cluster_load(6000, 0, 512, 0, 1) == 6000 + 256 + 200);
  CHECK(memory.cluster_load(6500, 0, 512, 1, 0) == 6500 + 128 + 200);
}

TEST_CASE("clusters (S12): what others read leaves by the port of the stores", "[sim]") {
  auto p = round_core();
  p.cluster_latency = 200;
  p.cluster_bytes_per_cycle = 16;
  MemorySystem memory(p, {.active_sms = 1}, 1);
  CHECK(memory.cluster_load(0, 0, 160, 0, 0) == 10 + 200);
  memory.store(0, {.sectors = 20});  // 640 B at 64 B/cycle
  CHECK(memory.cluster_load(0, 0, 160, 0, 0) == 10 + 10 + 10 + 200);
}
