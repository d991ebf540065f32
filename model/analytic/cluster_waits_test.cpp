// Blocks that sum a tile together (A17).

#include <cmath>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/bounds.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

const auto device = round_device();  // one cycle is one nanosecond

// Barriers and bandwidth by the cluster's size.
DeviceProfile of_clusters() {
  auto d = device;
  d.cluster_shared_latency.set(Cycles{200});
  d.cluster_barrier_over_blocks = {.x = {2, 4}, .y = {390, 370}};
  d.cluster_shared_read_over_blocks = {.x = {2, 4}, .y = {10, 16}};
  return d;
}

KernelDescription coded_kernel() {
  auto k = round_kernel(10, 1);
  CodeCounts c;
  c.issued = 130;
  c.ffma = 100;
  c.chain_cycles = 200;
  k.phases[0].code = CodeSegments{{}, c};
  return k;
}

// Blocks of four that read two shares of each other's sums, in two rounds.
KernelDescription summing_kernel(double warps, Bytes bytes) {
  auto k = coded_kernel();
  k.launch.cluster = 4;
  auto& phase = k.phases[0];
  phase.code->compute.chain_cycles = 1000;
  phase.cluster_barriers = 2;
  phase.cluster_reads = phase.cluster_shares = 2;
  phase.cluster_warps = warps;
  phase.cluster_bytes = bytes;
  return k;
}

}  // namespace

TEST_CASE("clusters (A17): a cluster's barriers wait for fences, its reads for each other", "[analytic]") {
  auto d = device;
  d.cluster_shared_latency.set(Cycles{200});
  auto k = coded_kernel();
  k.launch.cluster = 2;
  const auto before = predict(k, d).time.value();
  // Two warps of a scheduler, of 130 instructions and 200 cycles alone, take 299.6 together (A13), and 1.5
  // times a load of the block's own memory.
  const double own = 47 * (330 + std::sqrt(190.0 * 190 + 4 * 130 * 70)) / 2 / 200;
  k.phases[0].cluster_barriers = 2;  // 341 cycles each
  k.phases[0].cluster_reads = 3;
  CHECK(predict(k, d).time.value() - before == Approx((2 * 341 + 3 * (200 - own)) * 1e-9));
  CHECK(predict(k, d, {.without = {"cluster"}}).time.value() == Approx(before));
  k.phases[0].cluster_bytes = Bytes{15.5e4};  // 10^4 cycles, behind the first of ten warps' reads
  k.phases[0].cluster_warps = 10;
  CHECK(predict(k, d).time.value() - before == Approx((2 * 341 + 3 * (200 - own) + 1e3 + 1e4) * 1e-9));
  k.phases[0].cluster_barriers_behind = 1;  // 370 cycles more
  CHECK(predict(k, d).time.value() - before == Approx((2 * 341 + 370 + 3 * (200 - own) + 1e3 + 1e4) * 1e-9));
}

TEST_CASE("clusters (A17): warps share the port beside their own rounds of reads", "[analytic]") {
  const auto d = of_clusters();
  auto k = summing_kernel(5, Bytes{5 * 20 * 16});  // 20 cycles a warp
  auto& phase = k.phases[0];
  const auto m = machine_of(d, k);
  const Seconds chain{1000 / m.clock.value()};
  const auto cycles = [&] { return (cluster_waits(phase, chain, m) * m.clock).value(); };
  // A warp's instructions are in the phase's chain, and 47 cycles of each round. The last share's bytes come
  // behind everything else.
  const double instructions = 2 * 183, rounds = 2 * 47;
  CHECK(cycles() == Approx(2 * 370 + 20 + 2 * 200 - rounds + 100 / 2));
  // Where the port takes longer than all else, the first share's rounds come before that.
  phase.cluster_bytes = Bytes{5 * 1000 * 16};
  CHECK(cycles() == Approx(2 * 370 + 5000 + (instructions + 1000 + 2 * 200) / 2 - instructions - rounds));
  // Of three blocks that read at the same time, too, the port has all bytes.
  CHECK(((cluster_waits(phase, chain, m, 3) - cluster_waits(phase, chain, m)) * m.clock).value() ==
        Approx(10000));
}

TEST_CASE("clusters (A17): a chain of several warps has the instructions of all of them", "[analytic]") {
  const auto d = of_clusters();
  const auto k = summing_kernel(16, Bytes{16000 * 16});
  const auto& phase = k.phases[0];
  const auto m = machine_of(d, k);
  const auto waits = [&](double chain) {
    return (cluster_waits(phase, Seconds{chain / m.clock.value()}, m) * m.clock).value();
  };
  // Of 1000 cycles of a warp alone two shares and rounds are 460, so of 1500 of all warps 690.
  CHECK(waits(1000) - waits(1500) == Approx(690 - 460));
  // A chain shorter than a warp's alone has no less of them, but no more than there is.
  CHECK(waits(800) == Approx(waits(1000)));
  CHECK(waits(400) - waits(1000) == Approx(460 - 400));
}

TEST_CASE("clusters (A17): a pass begins when all have read, and other blocks read by the same port",
          "[analytic]") {
  const auto d = of_clusters();
  auto k = coded_kernel();
  k.launch.cluster = 4;
  auto& phase = k.phases[0];
  phase.code->compute.chain_cycles = 1000;
  phase.cluster_barriers = 4;  // two passes
  phase.cluster_reads = phase.cluster_shares = 4;
  phase.cluster_warps = 5;
  phase.cluster_bytes = Bytes{5 * 20 * 16};  // 100 cycles
  const auto m = machine_of(d, k);
  const Seconds chain{1000 / m.clock.value()};
  const auto cycles = [&](double blocks) {
    return (cluster_waits(phase, chain, m, blocks) * m.clock).value();
  };
  const double alone = 4 * (370 + 200 - 47) + 20;
  CHECK(cycles(1) == Approx(alone + 100 / 2));
  CHECK(cycles(3) == Approx(alone + 300 / 2));
  // A warp that reads alone has waited for its bytes.
  phase.cluster_warps = 1;
  CHECK(cycles(1) == Approx(alone + 80));
  CHECK(cycles(3) == Approx(alone + 80 + 200 / 2));
}

// H200: all 16-byte reads of 32 KB, of every block of a cluster (experiments/split_sums.csv, order 0, the
// slowest block).
TEST_CASE("clusters (A17): reads of a sum as in loops", "[analytic]") {
  const struct {
    double cluster, rate, warps, shares, rounds, measured;
  } cases[] = {{2, 16.4, 4, 8, 1, 3534},   {2, 16.4, 16, 2, 1, 1417}, {4, 14.25, 4, 4, 2, 3332},
               {4, 14.25, 16, 1, 2, 2396}, {8, 14.33, 4, 2, 3, 3373}, {8, 14.33, 8, 1, 3, 3291},
               {16, 14.87, 1, 4, 5, 7277}, {16, 14.87, 4, 1, 5, 4084}};
  for (const auto& c : cases) {
    auto d = device;
    d.cluster_shared_latency.set(Cycles{197});
    d.cluster_shared_read_over_blocks = {.x = {c.cluster, 2 * c.cluster}, .y = {c.rate, c.rate}};
    auto k = coded_kernel();
    k.launch.cluster = static_cast<std::int64_t>(c.cluster);
    auto& phase = k.phases[0];
    phase.cluster_shares = c.shares;
    phase.cluster_reads = c.shares * c.rounds;
    phase.cluster_warps = c.warps;
    phase.cluster_bytes = Bytes{32768 * (1 - 1 / c.cluster)};
    const auto m = machine_of(d, k);
    const double instructions = 183 * c.shares;
    const double reads = (cluster_waits(phase, Seconds{instructions / m.clock.value()}, m) * m.clock).value();
    CAPTURE(c.cluster, c.warps);
    CHECK(instructions + reads > 0.88 * c.measured);
    CHECK(instructions + reads < 1.06 * c.measured);
  }
}

TEST_CASE("clusters (A17): barrier and bandwidth by the cluster's size, where they were measured",
          "[analytic]") {
  auto d = device;
  d.cluster_shared_latency.set(Cycles{200});
  d.cluster_barrier_over_blocks = {.x = {2, 4}, .y = {390, 370}};
  d.cluster_shared_read_over_blocks = {.x = {2, 4}, .y = {10, 20}};
  auto k = coded_kernel();
  k.launch.cluster = 2;
  const auto before = predict(k, d).time.value();
  k.phases[0].cluster_barriers = 2;
  k.phases[0].cluster_barriers_behind = 1;
  k.phases[0].cluster_bytes = Bytes{1000};
  k.phases[0].cluster_warps = 4;
  CHECK(predict(k, d).time.value() - before == Approx((2 * 390 + 370 + 100 + 100 / 4) * 1e-9));
  // 320 B of stores of the block take ten cycles of the way by which its memory is read.
  const auto m = machine_of(d, k);
  k.phases[0].stored = Bytes{320};
  CHECK((cluster_transfer(k.phases[0], m) * m.clock).value() == Approx(100 + 10));
  k.phases[0].cluster_bytes = Bytes{};
  CHECK(cluster_transfer(k.phases[0], m).value() == 0);
}
