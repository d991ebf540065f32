#include "model/sim/held_stores.hpp"

#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;

TEST_CASE("held stores (S6): another one has room when less than that is held", "[sim]") {
  HeldStores held;
  CHECK(held.room(10) == 0);
  held.add(100, 6);
  CHECK(held.room(10) == 0);
  held.add(200, 6);
  held.add(300, 6);
  CHECK(held.room(10) == 200);
  CHECK(held.room(5) == 300);
  held.leave(150);
  CHECK(held.room(10) == 200);
  held.leave(200);
  CHECK(held.room(10) == 0);
}

TEST_CASE("stores (S6): what the SM's own way to L2 has not sent has less room, by what is stored", "[sim]") {
  auto p = round_core();
  p.store_port_bytes_per_cycle = 32;
  p.store_packets_held = 1e9;
  p.store_bytes_unsent = 3 * 64 * sector_bytes;
  auto store = memory_op(StreamOpKind::global_store);
  store.stall = 1;
  store.sectors = 64;  // 64 cycles of the port, 32 of the pipe
  const auto then_load = [&](int n) {
    const auto stream =
        uniform_stream({store, waiting(memory_op(StreamOpKind::shared_load, 0), 0), waiting(fma_op(), 1)},
                       {loop_step(1, n), run_step(0, 1), run_step(1, 2)}, 1);
    SmWork work;
    work.extrapolate = false;
    return simulate_sm(stream, p, work).cycles;
  };
  // They pass the pipe 32 cycles after each other and leave 64 after each other: of six stores the last waits
  // until the third has left, 193 cycles after cycle 10.
  CHECK(then_load(3) == 10 + 3 * 32 + 10);
  CHECK(then_load(6) == 203 + 32 + 10);
  store.stored_bytes = 64 * 8;  // of each sector a quarter: none waits
  CHECK(then_load(6) == 10 + 6 * 32 + 10);
}
