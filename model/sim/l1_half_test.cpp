// S4: how much of shared memory lies in L1's half of their store, and what copies take longer there.

#include "model/sim/l1_half.hpp"

#include "model/sim/decode.hpp"
#include "model/sim/sim.hpp"
#include "model/sim/sim_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;

TEST_CASE("L1's half (S4): several blocks lie everywhere, one at the beginning", "[sim]") {
  DeviceProfile device;
  device.shared_per_sm.set(Bytes{228 * 1024});  // and 28 KB of L1
  device.shared_reserved_per_block.set(Bytes{1024});
  const auto share = [&](int kib, int resident) {
    return in_l1_half(Bytes{kib * 1024.0}, device).of(resident);
  };
  CHECK(share(12, 2) == Approx(100. / 228));
  CHECK(share(113, 2) == Approx(100. / 228));
  CHECK(share(127, 1) == 0);
  CHECK(share(199, 1) == Approx(72. / 200));
  CHECK(in_l1_half(Bytes{}, DeviceProfile{}).of(2) == 0);  // nothing is asked of the device
}

TEST_CASE("L1's half (S4): copies there are read and written one after the other", "[sim]") {
  auto parameters = round_core();
  const auto later = [&](int width, double lines, double share) {
    auto copy = memory_op(StreamOpKind::async_copy);
    copy.width_bytes = width;
    copy.sectors = copy.lines = lines;
    copy.wavefronts = copy.written = width / 4;
    copy.by_line = lines;
    parameters.copies_in_l1_half = share;
    return decode(uniform_stream({copy}, {run_step(0, 1)}, 1), parameters).ops[0].later;
  };
  CHECK(later(4, 1, 0) == 0);
  CHECK(later(4, 1, 1) == Approx(0.6));
  CHECK(later(4, 1, 0.5) == Approx(0.3));
  CHECK(later(8, 2, 1) - later(8, 2, 0) == Approx(1.6));
  CHECK(later(16, 4, 1) - later(16, 4, 0) == Approx(3.6));
  CHECK(later(4, 4, 1) - later(4, 4, 0) == Approx(0.6 + 0.45 * 3));  // eight lanes in each of four lines
  // Eight lanes that copy 16 bytes write one wavefront of four.
  auto few = memory_op(StreamOpKind::async_copy);
  few.width_bytes = 16;
  few.sectors = few.lines = few.wavefronts = few.written = few.by_line = 1;
  const auto accepted = [&](double share) {
    parameters.copies_in_l1_half = share;
    few.l1_hit = 1;
    return decode(uniform_stream({few}, {run_step(0, 1)}, 1), parameters).ops[0].accept;
  };
  CHECK(accepted(1) - accepted(0) == Approx(3.6 / 4));
  few.sectors = 0;  // zeros alone
  CHECK(accepted(1) == accepted(0));
}

TEST_CASE("L1's half (S4): copies of what L1 has take it at once, those past L1 never", "[sim]") {
  auto parameters = round_core();
  parameters.copies_in_l1_half = 1;
  auto copy = memory_op(StreamOpKind::async_copy);
  copy.sectors = copy.lines = copy.wavefronts = copy.written = copy.by_line = 4;
  copy.width_bytes = 16;
  copy.l1_hit = 1;
  const auto accept = [&] { return decode(uniform_stream({copy}, {run_step(0, 1)}, 1), parameters).ops[0]; };
  CHECK(accept().accept == Approx(7.6));
  copy.past_l1 = true;
  CHECK(accept().accept == 1);
  CHECK(accept().later == 0);
}

TEST_CASE("simulate (S4): a launch's copies go to L1's half as its blocks lie", "[sim]") {
  auto copy = memory_op(StreamOpKind::async_copy);
  copy.sectors = copy.lines = copy.wavefronts = copy.written = copy.by_line = 4;
  copy.width_bytes = 16;
  copy.l1_hit = 1;
  const auto stream = uniform_stream({copy}, {loop_step(1, 1000), run_step(0, 1)}, 4);
  auto device = sim_device();
  device.shared_per_block.set(Bytes{65536});
  const auto cycles = [&](int blocks_an_sm, double kib) {
    auto kernel = round_kernel(10 * blocks_an_sm, 4);  // ten SMs, the halves meet at 46 of 64 KB
    kernel.launch.shared = Bytes{kib * 1024};
    return static_cast<double>(simulate(kernel, stream, device).sm.cycles);
  };
  const double one = cycles(1, 46), two = cycles(2, 0);  // 5 cycles of the pipe a copy
  CHECK(cycles(1, 60) / one == Approx(1 + 14. / 60 * 3.6 / 5).epsilon(0.01));
  CHECK(cycles(2, 8) / two == Approx(1 + 18. / 64 * 3.6 / 5).epsilon(0.01));
}
