// What warps store beside what they compute (A15).

#include <algorithm>
#include <cmath>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/code_wave.hpp"
#include "model/analytic/overlap.hpp"
#include "model/analytic/staged_stores.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

const auto device = round_device();
const auto machine = machine_of(device);  // one cycle is one nanosecond, four schedulers

// Four warps of a block compute, each 200 cycles alone, of which it takes its scheduler for 130 and the SM's
// pipe for 30.
KernelDescription coded_kernel() {
  auto k = round_kernel(10, 1);
  CodeCounts c;
  c.issued = 130;
  c.pipe_cycles = 30;
  c.chain_cycles = 200;
  k.phases[0].code = CodeSegments{{}, c};
  k.phases[0].active_warps = 4;
  return k;
}

const double four_warps = queued(4, 30, 200);

const Wave one_block{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};

}  // namespace

TEST_CASE("code (A15): a warp's stores go beside the others' computations", "[analytic]") {
  auto k = coded_kernel();
  k.phases[0].stored = Bytes{1000};  // ten blocks: 100 ns
  const auto alone = [&] {
    return code_wave(k, one_block, {}, machine, all_enabled()).all.alone().value() * 1e9;
  };
  CHECK(alone() == Approx(four_warps));  // stores of another phase's results
  k.phases[0].stores_apart = 1;          // each computes, then stores
  CHECK(alone() == Approx(four_warps + 100));
  k.phases[0].stores_apart = 4;  // the four queue for the pipe, 30 of 200 cycles each, and for L2, 25 each
  const double t = alone();
  CHECK(t == Approx(200 + 30 * 90 / (t - 90) + 25 * 75 / (t - 75)));
  k.phases[0].stored = Bytes{10000};  // 1000 ns: longer than the computation, of which a fourth comes first
  CHECK(alone() == Approx(1000 + four_warps / 4));
  auto unqueued = all_enabled();
  unqueued[static_cast<std::size_t>(BoundId::overlap)] = false;
  CHECK(code_wave(k, one_block, {}, machine, unqueued).all.alone().value() * 1e9 == Approx(1000 + 200.0 / 4));
}

TEST_CASE("code (A15): stores that the SM has room for go on beside the next trip", "[analytic]") {
  auto k = coded_kernel();
  k.phases[0].stores_apart = 1;
  k.phases.push_back(k.phases[0]);
  k.phases[0].stored = Bytes{1000};
  const auto first = [&] {
    return code_wave(k, one_block, {}, machine, all_enabled()).phases[0].alone().value() * 1e9;
  };
  CHECK(first() == Approx(four_warps));
  k.phases[0].stored = Bytes{2 * 448 * 32.0};  // 2867 ns, half of which it waits for; the trip is not shorter
  CHECK(first() == Approx(2 * 1433.6));
  k.phases[0].stored = Bytes{1.1 * 448 * 32.0};
  k.phases[0].code->compute.chain_cycles = 10000;
  k.phases[0].code->compute.pipe_cycles = 0;
  CHECK(first() == Approx(10000 + 0.1 * 1433.6));
  k.phases.pop_back();  // of two trips one is the last
  k.phases[0].trips = 2;
  CHECK(first() == Approx(2 * (10000 + (1.1 - 0.5) * 1433.6)));
}

TEST_CASE("code (A15): the place of a block alone on its SM is free when its stores have passed the pipe",
          "[analytic]") {
  auto k = coded_kernel();
  k.phases[0].code->compute.chain_cycles = 10000;
  k.phases.push_back({});
  k.phases[1].name = "store";
  k.phases[1].active_warps = 4;
  k.phases[1].stored = Bytes{20000};  // ten blocks: 2000 ns of L2, 625 of an SM's own way there
  k.phases[1].code = CodeSegments{};
  const auto w = code_wave(k, one_block, {}, machine, all_enabled());
  CHECK(w.all.share.value() == Approx(2000e-9));
  const double in_room = 300 * 32 / 20000.0;
  CHECK(w.stores_left.value() == Approx(in_room * 2000e-9));
  CHECK(w.waits_in_step.value() == Approx((1 - in_room) * 1375e-9));
  // Of the waits for others wave k keeps 1 / sqrt(k).
  CHECK(sooner_again(w, 0, 1) == w.stores_left);  // none follows
  const double kept = (1 / std::sqrt(2) + 1 / std::sqrt(3) + 1.0 / 2) / 3;
  const auto sooner = [&](double share) { return 960e-9 + share * 715e-9; };
  CHECK(sooner_again(w, 0, 4).value() == Approx(sooner(1 - kept)).epsilon(0.01));
  CHECK(sooner_again(w, 3, 1).value() == Approx(sooner(1 - 1.0 / 2)).epsilon(0.01));
  k.phases[1].stores_apart = 1;
  CHECK(code_wave(k, one_block, {}, machine, all_enabled()).stores_left == Seconds{});
  k.phases[1].stores_apart = 0;
  // A block that computes nearly as long beside its stores waits for no more than that.
  k.phases[1].code->around.issued = 10;
  k.phases[1].code->around.chain_cycles = 950;
  const auto beside = code_wave(k, one_block, {}, machine, all_enabled());
  CHECK(beside.all.share.value() == Approx(1050e-9).epsilon(1e-3));
  CHECK(sooner_again(beside, 3, 1) == beside.all.share);
}

TEST_CASE("code (A15): a block alone on its SM pauses between the passes in which it stores", "[analytic]") {
  auto d = round_device();
  d.shared_latency.set(Cycles{20});
  const auto m = machine_of(d);
  Phase p;
  p.active_warps = 4;
  p.stored = Bytes{16000};
  p.warp.global_store.sectors = 150;
  p.warp.global_store.masks = 25;
  p.warp.global_store.joined = 25.0 / 2;
  p.warp.shared_store.wavefronts = 40;  // in four passes, between which there are three pauses
  const auto pauses = store_pauses(p, 6, Seconds{150e-9}, m);
  CHECK(pauses.count == 3);
  CHECK(pauses.each.value() == Approx(150e-9 / 3 + (4 * 40 / 4.0 / m.wavefronts_per_cycle + 20) * 1e-9));
  CHECK(store_pauses(p, 0, Seconds{}, m).count == 0);  // one pass
  const auto stores = store_counts(p);
  CHECK(stores.sectors == 4 * 150);
  CHECK(stores.packets == 4 * 162.5);
  const StorePauses three{3, Seconds{400e-9}};
  const auto time = [&](double write, double port) {
    return time_with_pauses(stores, three, Seconds{write * 1e-9}, Seconds{port * 1e-9}).value() * 1e9;
  };
  CHECK(time(2000, 400) == Approx(2000));  // L2 has enough to do in the pauses, too
  CHECK(time(650, 650) == Approx(650 + 3 * (400 - 62 * 650 / 600.0)));  // the SM's own way has less in front
  CHECK(time(650, 5000) == Approx(5000));                               // none without something to send

  auto k = coded_kernel();
  k.phases.push_back(p);
  k.phases[1].code = CodeSegments{};
  k.phases[1].code->around.barriers = 6;
  const auto share = [&](const Wave& wave) {
    return code_wave(k, wave, {}, m, all_enabled()).phases[1].share.value() * 1e9;
  };
  const double barriers = 6 * m.barrier->value();
  const double pause = barriers / 3 + 40 / m.wavefronts_per_cycle + 20;
  const double port = 4 * 162.5;  // ten blocks: L2 takes 32 B a cycle of each SM at most
  const double write = code_wave(k, one_block, {}, m, all_enabled()).phases[1].l2.value() * 1e9;
  const double expected = std::max(write, port + 3 * std::max(0.0, pause - 62 * port / 600));
  CHECK(share(one_block) == Approx(expected - barriers));
  const Wave two{.count = 1, .blocks_per_sm = 2, .active_sms = 10, .blocks = 20};
  const double both = code_wave(k, two, {}, m, all_enabled()).phases[1].l2.value() * 1e9;
  CHECK(share(two) == Approx(std::max(0.0, both / 2 - barriers)));  // the other one stores meanwhile
}

TEST_CASE("code (A15): the last SM of a single wave stores what it has left at its own pace", "[analytic]") {
  const auto time = [](double write, double own) {
    const Seconds with_pauses{std::max(write, own) * 1e-9};
    return time_of_last_sm(Seconds{write * 1e-9}, with_pauses, Seconds{own * 1e-9}).value() * 1e9;
  };
  CHECK(time(1000, 600) == Approx(870 + 168));
  CHECK(time(1000, 1000) == Approx(1150));
  CHECK(time(1000, 400) == Approx(1000));  // the rest takes it no longer than L2
  CHECK(time(900, 1000) == Approx(1000));  // less than L2 can take
  CHECK(time(950, 1000) == Approx(1000 + 0.5 * 106.5));
  const auto m = machine_of(round_device());
  Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = m.sms, .blocks = m.sms};
  CHECK(stores_unevenly(wave, {.single_wave = true}, m));
  CHECK(!stores_unevenly(wave, {}, m));  // faster SMs take more of the further blocks
  wave.active_sms = 0.8 * m.sms;
  CHECK(!stores_unevenly(wave, {.single_wave = true}, m));
}

TEST_CASE("code (A15): all warps do together what comes before the first store", "[analytic]") {
  auto k = coded_kernel();
  CodeCounts before;
  before.issued = 10;
  before.pipe_cycles = 30;  // all that the warps take of the pipe
  before.chain_cycles = 50;
  k.phases[0].code->before_stores = before;
  const auto wave = code_wave(k, one_block, {}, machine, all_enabled());
  CHECK(wave.all.chain.value() == Approx((queued(4, 30, 50) + 150) * 1e-9));
  CHECK(wave.all.pipe.value() == Approx(4 * 30e-9));  // counted once
  CHECK(wave.all.issue.value() == Approx(130e-9));
}

TEST_CASE("code (A15): warps that load a window together load the next one together, too", "[analytic]") {
  auto k = coded_kernel();
  CodeCounts window;
  window.issued = 10;
  window.pipe_cycles = 30;
  window.chain_cycles = 50;
  auto& code = *k.phases[0].code;
  code.before_stores = window;
  code.windows = 2;
  code.compute.pipe_cycles = 60;  // all in the two windows
  code.compute.chain_cycles = 250;
  const auto chain = [&] {
    return code_wave(k, one_block, {}, machine, all_enabled()).all.chain.value() * 1e9;
  };
  CHECK(chain() == Approx(2 * queued(4, 30, 50) + 150));
  // Two of the warps have two windows, the others one, and two filters of each.
  code.windows = 1.5;
  code.compute.pipe_cycles = 45;
  k.phases[0].uneven = UnevenWarps{4.0 / 3, 4.0 / 3};
  CHECK(chain() == Approx(queued(4, 30, 50) + queued(2, 30, 50) + 4.0 / 3 * (250 - 1.5 * 50)));
}

TEST_CASE("code (A18): what blocks do before their first store goes beside no stores", "[analytic]") {
  auto k = coded_kernel();
  k.phases[0].stored = Bytes{1000};
  k.phases[0].stores_apart = 4;
  auto& code = *k.phases[0].code;
  code.around.issued = 40;
  code.around.chain_cycles = 100;
  code.before_stores.issued = 10;
  code.before_stores.pipe_cycles = 30;  // all that the warps take of the pipe
  code.before_stores.chain_cycles = 50;
  const auto parts = [&](double blocks) {
    const Wave wave{.count = 1, .blocks_per_sm = blocks, .active_sms = 10, .blocks = 10 * blocks};
    return code_wave(k, wave, {}, machine, all_enabled());
  };
  CHECK(parts(1).stretches.size() == 1);
  const auto two = parts(2);
  REQUIRE(two.stretches.size() == 3);
  const auto ns = [](Seconds time) { return time.value() * 1e9; };
  CHECK(ns(two.stretches[0].issue) == Approx(2 * 2 * 40));  // two of a block's eight warps on a scheduler
  CHECK(ns(two.stretches[0].chain) == Approx(queued(2, 40, 100)));
  CHECK(ns(two.stretches[1].pipe) == Approx(2 * 4 * 30));
  CHECK(ns(two.stretches[1].chain) == Approx(queued(4, 30, 50)));
  CHECK(ns(two.stretches[2].pipe) == Approx(0).margin(1e-9));
  CHECK(two.stretches[2].l2 == two.all.l2);
  CHECK(ns(two.stretches[0].chain + two.stretches[1].chain + two.stretches[2].chain) ==
        Approx(ns(two.all.chain)));
}

TEST_CASE("code (A9): a tail that is all of the grid's edge stores less", "[analytic]") {
  auto k = coded_kernel();
  k.launch.threads = 1024;
  k.launch.registers = 64;  // one block an SM
  k.launch.blocks = 11;
  k.phases[0].stored = Bytes{1e5};
  k.edge_blocks = 1;
  const auto time = [&] { return predict(k, device).time.value(); };
  const double whole = time();
  k.edge_stored = 0.5;
  const double half = time();
  CHECK(half < whole);
  k.edge_stored = 0;
  CHECK(time() < half);
  k.launch.blocks = 12;  // one of the two is a whole one
  const double of_two = time();
  k.edge_stored = 1;
  CHECK(of_two == Approx(time()));
}
