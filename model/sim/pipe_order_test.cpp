// S4: whom the memory pipe takes, when sources have been read, and in which order results come back. The
// warp's last instruction is issued in the cycle that is checked.

#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

TEST_CASE("memory pipe (S4): it takes the scheduler whose first has been ready for longest", "[sim]") {
  auto p = round_core();
  p.schedulers = 3;
  auto load = memory_op(Kind::shared_load, 0);
  load.wavefronts = 8;
  InstructionStream stream;
  stream.ops = {load, fma_op(), fma_op(), fma_op(), fma_op(), load, waiting(fma_op(), 1)};
  stream.roles = {{"first", {run_step(0, 1)}}, {"late", {run_step(1, 5)}}, {"soon", {run_step(3, 4)}}};
  stream.role_of_warp = {0, 1, 2};
  // The first one's load keeps the pipe from cycle 10 to 18. The third scheduler's, issued in cycle 2, is
  // ready in 12, the second's in 14. So the third's is taken in 18, and its data are there 10 + 7 cycles
  // later.
  CHECK(cycles_of_block(stream, p) == 18 + 17);
}

TEST_CASE("memory pipe (S4): a store that waits for room lets other schedulers' instructions past", "[sim]") {
  auto p = round_core();
  p.schedulers = 2;
  p.store_bytes_unsent = sector_bytes;
  p.store_port_bytes_per_cycle = 1;
  auto store = memory_op(Kind::global_store);
  store.stall = 1;
  store.sectors = 4;
  InstructionStream stream;
  stream.ops = {store,
                store,
                fma_op(),
                fma_op(),
                fma_op(),
                fma_op(),
                memory_op(Kind::shared_load, 0),
                waiting(fma_op(), 1)};
  stream.roles = {{"stores", {run_step(0, 2)}}, {"loads", {run_step(2, 6)}}};
  stream.role_of_warp = {0, 1};
  // The pipe takes the first store in cycle 10. In cycle 139 it has left, and the second one goes.
  CHECK(cycles_of_block(stream, p) == 14 + 10);
  stream.roles = {{"both", {run_step(0, 8)}}};
  stream.role_of_warp = {0};
  CHECK(cycles_of_block(stream, p) == 10 + 128 + 1 + 2 + 10);
}

TEST_CASE("memory pipe (S4): sources have been read though the pipe is busy", "[sim]") {
  auto load = memory_op(Kind::shared_load);
  load.wavefronts = 32;  // keeps the pipe until cycle 42
  auto store = memory_op(Kind::shared_store);
  store.read_barrier = 0;
  // The load's register is read in cycle 10, the store's from 14 on.
  const auto stream = uniform_stream({load, store, waiting(fma_op(), 1)}, {run_step(0, 3)}, 1);
  CHECK(cycles_of_block(stream, round_core()) == 14);
}

TEST_CASE("memory queue (S4): a copy's sources wait for two places of the SM's queue", "[sim]") {
  auto load = memory_op(Kind::shared_load);
  load.wavefronts = 32;
  const auto behind_two_loads = [&](Kind kind) {
    auto last = memory_op(kind);
    last.read_barrier = 0;
    return cycles_of_block(uniform_stream({load, load, last, waiting(fma_op(), 1)}, {run_step(0, 4)}, 1),
                           round_core());
  };
  // The pipe takes the loads in cycles 10 and 74, as a warp has every second cycle. Until then one of the two
  // places is taken.
  CHECK(behind_two_loads(Kind::async_copy) == 74 + 1);
  CHECK(behind_two_loads(Kind::shared_store) == 18);
}

TEST_CASE("memory pipe (S4): a warp's accesses take every second cycle at most, other warps' go between",
          "[sim]") {
  auto p = round_core();
  p.schedulers = 2;
  auto load = memory_op(Kind::shared_load);
  load.wavefronts = 4;
  auto last = load;
  last.write_barrier = 0;
  InstructionStream stream;
  stream.ops = {load, last, waiting(fma_op(), 1)};
  stream.roles = {{"two", {run_step(0, 3)}}, {"one", {run_step(1, 2)}}};
  stream.role_of_warp = {0};
  // The pipe takes them in cycles 10 and 18; data are there 10 + 3 cycles later.
  CHECK(cycles_of_block(stream, p) == 18 + 13);
  stream.role_of_warp = {1, 1};  // of two warps, in cycles 10 and 14
  CHECK(cycles_of_block(stream, p) == 14 + 13);
}

TEST_CASE("shared memory (S4): results come back in the order of the loads", "[sim]") {
  auto p = round_core();
  p.pass_latency = 3;
  auto wide = memory_op(Kind::shared_load);
  wide.wavefronts = 4;
  const auto narrow = memory_op(Kind::shared_load, 0);
  const auto of = [&](std::vector<StreamOp> ops) {
    const auto count = static_cast<std::int32_t>(ops.size());
    return cycles_of_block(uniform_stream(std::move(ops), {run_step(0, count)}, 1), p);
  };
  CHECK(of({narrow, waiting(fma_op(), 1)}) == 20);
  // The wide one is taken in cycle 10, its data are there 10 + 3 x 3 later; the other one is taken in 14, and
  // its data would be there in 24.
  CHECK(of({wide, narrow, waiting(fma_op(), 1)}) == 29 + 1);
}
