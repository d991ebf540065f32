// S6, S4: what several SMs ask for at the same time.

#include "model/sim/decode.hpp"
#include "model/sim/memory_system.hpp"
#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;
using Kind = StreamOpKind;

TEST_CASE("global memory (S6): what several SMs ask for at the same time waits for the first one's data",
          "[sim]") {
  // L2 answers after 200 cycles, DRAM after 500; requests of a line, one every 10,000 cycles.
  const auto mean = [](const SharedReads& reads, std::optional<double> asking_for) {
    MemoryShare share{.active_sms = 1};
    share.shared = {{reads, {}}};
    MemorySystem memory(round_core(), share, 1);
    MemoryRequest request{.sectors = 4, .lines = 1, .tensor = 0, .asking_for = asking_for};
    constexpr int requests = 1000;
    double sum = 0;
    for (int i = 0; i < requests; ++i)
      sum += static_cast<double>(memory.load(10000 * i, 0, request) - 10000 * i) / requests;
    return sum;
  };
  const double hit = mean({}, {}), miss = mean({1, 1, 1, 1}, {});
  CHECK(hit == Approx(200).margin(3));
  CHECK(miss == Approx(500).margin(5));
  CHECK(mean({0, 1, 0, 100}, {}) == hit);                                   // L2 has all
  CHECK(mean({0.5, 0.5, 1, 1}, {}) == Approx((hit + miss) / 2).margin(3));  // one in two is asked for first
  CHECK(mean({0.25, 1, 0.25, 1}, {}) == Approx(hit + 75).margin(20));       // of its lines L2 has lost some
  CHECK(mean({0, 1, 1, 1e9}, {}) == Approx((hit + miss) / 2).margin(20));  // any time left, in the same order
  CHECK(mean({0, 1, 1, 1e9}, 100) == Approx(miss - 100).margin(5));        // asked for 100 cycles ago
  CHECK(mean({0, 1, 1, 1e9}, 400) == Approx(hit).margin(1));
  CHECK(mean({0.5, 1, 1, 2}, 400) == Approx((hit + miss) / 2).margin(20));  // by one in two for the other
}

TEST_CASE("global memory (S6): DRAM sends each SM its own share of what they ask for together", "[sim]") {
  MemoryShare share{.active_sms = 1};
  share.shared = {{{0.125, 1, 1, 8}, {}}};
  MemorySystem memory(round_core(), share, 1);
  MemoryRequest request{.sectors = 4, .lines = 1, .tensor = 0};
  for (int i = 0; i < 16; ++i)
    memory.load(1000 * i, 0, request);
  CHECK(memory.dram_bytes() == Approx(16 * 128 / 8.0));
  CHECK(memory.l2_bytes() == Approx(16 * 128));
  request.tensor = 1;  // L2 has all of the other one
  memory.load(20000, 0, request);
  CHECK(memory.dram_bytes() == Approx(16 * 128 / 8.0));
}

TEST_CASE("L1 (S4): lines of shared reads keep their places until what the warp asked for before has come",
          "[sim]") {
  // A line from DRAM (500 cycles), then one that L2 has (200) and one for which one of the two has to go.
  auto late = memory_op(Kind::global_load);
  late.sectors = 4;
  late.lines = late.l1_new_lines = 1;
  late.tensor = 0;
  auto early = late;
  early.tensor = 1;
  std::vector<StreamOp> ops{late, early, early, memory_op(Kind::shared_load, 0), waiting(fma_op(), 1)};
  auto stream = uniform_stream(std::move(ops), {run_step(0, 5)}, 1);
  stream.l1_lines = 2;
  SmWork work;
  work.extrapolate = false;
  work.share.shared = {{{1, 1, 1, 1}, {}}};
  CHECK(simulate_sm(stream, round_core(), work).cycles > 500);
  work.share.shared = {{{}, {}}};
  CHECK(simulate_sm(stream, round_core(), work).cycles < 230);
}
