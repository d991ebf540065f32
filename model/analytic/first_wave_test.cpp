// The first wave of blocks, which end apart and store, or read each other's sums, as they have computed
// (A20).

#include <algorithm>
#include <vector>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/code_wave.hpp"
#include "model/analytic/paces.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

const auto device = round_device();
const auto machine = machine_of(device);  // one cycle is one nanosecond, four schedulers

// A block computes in 1000 cycles alone and then stores.
KernelDescription kernel(const std::vector<CorePace>& paces, double warps) {
  auto k = round_kernel(100, 1);
  k.launch.threads = static_cast<int>(32 * warps);
  k.phases[0].code = CodeSegments{{}, {.issued = 400, .pipe_cycles = 100, .chain_cycles = 900}};
  k.phases.push_back({});
  k.phases[1].name = "store";
  k.phases[1].code = CodeSegments{};
  k.phases[0].active_warps = k.phases[1].active_warps = warps;
  k.core_paces = paces;
  return k;
}

Wave of(double blocks) {
  return {.count = 1, .blocks_per_sm = blocks, .active_sms = 10, .blocks = 10 * blocks};
}

Seconds first_wave(const CodeWave& wave) {
  const Seconds apart = wave_time(wave.all, wave, Seconds{}, all_enabled());
  const auto t = together(wave, Seconds{}, all_enabled());
  return apart + t.first + t.storing;
}

}  // namespace

TEST_CASE("first wave (A20): stores of groups that have a block less hold up the others", "[analytic]") {
  // Three blocks on two groups of schedulers. One ends behind 1000 cycles, those that share a group behind
  // 1000 + 11/12 of 1000, as four would behind 2000.
  const std::vector<CorePace> paces{{1, 1000, 1000, 0}, {2, 1000, 1000, 0}, {4, 2000, 2000, 0}};
  auto k = kernel(paces, 2);
  k.phases[1].stored = Bytes{32.0 * 1000};
  const Traffic once{.single_wave = true};
  const auto three = code_wave(k, of(3), once, machine, all_enabled());
  REQUIRE(three.paced);
  CHECK(three.first_together == 1);
  const double ends = 1000 + 11000.0 / 12, apart = three.paced->ends_apart.value() * 1e9;
  CHECK(apart == Approx(11000.0 / 12));
  CHECK(three.paced->last_apart.value() == 0);
  // L2 takes 3.2 ns a sector at 0.95 of its rate (A4), and the SM has room for 300. Of the first block's 1000
  // sectors 700 hold up the others, and of the second one's, which ends with the last.
  const double sector = 3.2 / 0.95, each = 1000 * sector, room = 300 * sector;
  const double left = std::max(0.0, room - apart);
  const double held = each - room + (left + each - room);
  CHECK(first_wave(three).value() == Approx((ends + held + room + each) * 1e-9));
}

TEST_CASE("first wave (A20): stores hold up the others until they have left by the SM's own way",
          "[analytic]") {
  const std::vector<CorePace> paces{{1, 1000, 1000, 0}, {4, 5000, 4500, 3600}};
  auto k = kernel(paces, 4);
  k.phases[1].stored = Bytes{32.0 * 250};
  // A sector a cycle but for 62, which wait in front of it; L2's room, 300, has them all. The last block's
  // stores are L2's, 3.2 ns a sector.
  const double held = 3 * (250 - 62), last = 250 * 3.2;
  auto four = code_wave(k, of(4), {}, machine, all_enabled());
  CHECK(first_wave(four).value() == Approx((5000 + held + last) * 1e-9));
  // They are issued in 100 cycles, in which as many leave.
  k.phases[1].code = CodeSegments{{}, {.issued = 1, .chain_cycles = 100}};
  four = code_wave(k, of(4), {}, machine, all_enabled());
  const double issuing = core_of(four.phases[1]).alone().value() * 1e9;
  CHECK(issuing == Approx(100).epsilon(0.05));
  auto at_once = four;
  at_once.port = Seconds{};
  CHECK((first_wave(four) - first_wave(at_once)).value() == Approx((held - 3 * issuing) * 1e-9));
  // Of clusters A17 has that way.
  auto of_cluster = machine;
  of_cluster.cluster = 2;
  CHECK(code_wave(k, of(4), {}, of_cluster, all_enabled()).port == Seconds{});
}

TEST_CASE("first wave (A20): nobody computes beside the last block's sum", "[analytic]") {
  const std::vector<CorePace> paces{{1, 1000, 1000, 0}, {4, 2200, 2000, 1500}};
  auto four = code_wave(kernel(paces, 4), of(4), {}, machine, all_enabled());
  CHECK(first_wave(four).value() == Approx(2200e-9));
  // 900 cycles of waits for others of its cluster, beside which an SM's other blocks compute but for the
  // last. The first one's end with 700 + 900.
  four.phases[1].exchange = four.all.exchange = Seconds{900e-9};
  four.phases[1].cluster = four.all.cluster = Seconds{100e-9};
  CHECK(first_wave(four).value() == Approx((2200 + 900) * 1e-9));
  // Of the first wave alone.
  const auto t = together(four, Seconds{}, all_enabled());
  CHECK(together_time(t, four, 1, 1) < 0.1 * t.first);
}

TEST_CASE("waves (A9): the SM whose places are free first takes more of a tail where paces are not known",
          "[analytic]") {
  // Three blocks an SM of which L2 takes the stores all the time: they end together, SMs with a deviation of
  // 0.12 and 0.036 of their time, of which the second has 0.35 (variance) in common.
  auto many = machine;
  many.sms = 132;
  CodeWave wave;
  wave.blocks_per_sm = wave.on_scheduler = 3;
  wave.all.l2 = Seconds{1e-6};
  wave.all.chain = Seconds{0.3e-6};
  wave.phases = {wave.all};
  const Wave tail{1, 1, 99, 99};  // a quarter of all places
  const auto of = [&](double waves = 1) { return tail_of_first_sm(wave, waves, tail, many, all_enabled()); };
  CHECK(of().blocks == 3);
  CHECK(of().spread == Seconds{});
  // A quarter of the places is free 1.0986 / 1.702 deviations before the wave's end.
  CHECK(of().sooner.value() == Approx(1.0986 / 1.702 * std::hypot(0.12, 0.036) * 1e-6).epsilon(0.01));
  CHECK(of(most_waves_in_step + 1).blocks == 1);
  // With L2 idle for 0.9 of the time they end 0.9 (1 - 0.3) apart, and no SM has a second place so early.
  wave.all.l2 = wave.phases[0].l2 = Seconds{0.1e-6};
  wave.all.issue = Seconds{1e-6};
  CHECK(of().blocks == 1);
  CHECK(of().sooner == Seconds{});
  // Half of L2's rate limits nobody: SMs differ by their own deviation alone.
  auto sharp = all_enabled();
  sharp[static_cast<std::size_t>(BoundId::overlap)] = false;
  wave.all.l2 = wave.phases[0].l2 = Seconds{0.5e-6};
  wave.all.chain = Seconds{1e-6};
  CHECK(tail_of_first_sm(wave, 1, tail, many, sharp).sooner.value() ==
        Approx(1.0986 / 1.702 * 0.036 * 1e-6).epsilon(0.02));
  wave.all.chain = Seconds{0.3e-6};
  // Two of a scheduler: A9's pairs.
  wave.on_scheduler = 2;
  wave.all.l2 = wave.phases[0].l2 = Seconds{1e-6};
  CHECK(of().blocks == 1);
}

TEST_CASE("waves (A9): a tail runs beside the wave's last blocks, also where paces are not known",
          "[analytic]") {
  // Three blocks, each 1000 cycles of a scheduler's 1000 alone: the oldest ends after 1000, the last after
  // 3000.
  CodeWave wave;
  wave.blocks_per_sm = wave.on_scheduler = 3;
  wave.all.issue = Seconds{3e-6};
  wave.all.chain = Seconds{1e-6};
  wave.phases = {wave.all};
  const auto beside = [&](double blocks) { return tail_beside_wave(wave, blocks, all_enabled()); };
  CHECK(beside(1).ends.value() == Approx(2e-6));
  CHECK(beside(2).ends.value() == Approx(1e-6));
  // The core is all theirs: while the tail goes on they wait as long.
  CHECK(beside(1).sooner(Seconds{1e-6}).value() == Approx(0).margin(1e-12));
  // L2 takes the stores of all in turn, a third of the time (and A13 has a little more for both).
  wave.all.l2 = Seconds{1e-6};
  CHECK(beside(1).ends.value() == Approx(2.0 / 3 * 2e-6).epsilon(0.03));
  // Two of a scheduler end together (A18).
  wave.on_scheduler = 2;
  CHECK(beside(1).ends == Seconds{});
}

TEST_CASE("first wave (A20): the last block's last phase is beside nobody's, where ends are apart",
          "[analytic]") {
  const std::vector<CorePace> paces{{1, 1000, 1000, 0}, {4, 5000, 4500, 3600}};
  auto k = kernel(paces, 4);
  k.phases[1].code = CodeSegments{{}, {.issued = 300, .chain_cycles = 600}};
  auto four = code_wave(k, of(4), {}, machine, all_enabled());
  // All four at the same time would take more than twice as long for it.
  const Seconds own = core_of(four.phases[1]).alone();
  REQUIRE(wave_time(core_of(four.phases[1]), four, Seconds{}, all_enabled()) > 2 * own);
  four.phases[1].exchange = four.all.exchange = Seconds{2000e-9};
  four.phases[1].cluster = four.all.cluster = Seconds{100e-9};
  CHECK(first_wave(four).value() == Approx((5000 + 2000) * 1e-9));
  // Where all end together, it is beside theirs.
  four.paced->ends_apart = four.paced->last_apart = Seconds{};
  CHECK(first_wave(four).value() < 6800e-9);
}
