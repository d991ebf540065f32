// Kernels whose machine code is known (A14 to A16, A18).

#include <algorithm>
#include <cmath>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/code_wave.hpp"
#include "model/analytic/overlap.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

const auto device = round_device();
const auto machine = machine_of(device);  // one cycle is one nanosecond, four schedulers, 32 lanes each

CodeCounts loop_counts() {
  CodeCounts c;
  c.issued = 130;
  c.ffma = 100;
  c.integer = 15;
  c.memory = 10;
  c.port_cycles = 20;
  c.pipe_cycles = 30;
  c.queue_cycles = 40;
  c.chain_cycles = 200;
  return c;
}

// Eight warps a block, all of which take part.
KernelDescription coded_kernel(std::int64_t blocks, double trips) {
  auto k = round_kernel(blocks, trips);
  k.phases[0].code = CodeSegments{{}, loop_counts()};
  return k;
}

Seconds bound(const Prediction& p, std::string_view name) {
  const auto found = std::ranges::find(p.bounds, name, &Bound::name);
  REQUIRE(found != p.bounds.end());
  return found->time;
}

// Four warps at the pipe, each for 30 of its 200 cycles: t = 170 + r, r = 30 (1 + 3 r / t).
const double four_warps = (120 + 170 + std::sqrt(50.0 * 50 + 4 * 30 * 170)) / 2;

const Wave one_block{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};

}  // namespace

TEST_CASE("code (A14): a warp's cycles by what they are taken of", "[analytic]") {
  const auto cost = code_cost(loop_counts(), machine, all_enabled());
  CHECK(cost.fma == 100);
  CHECK(cost.issue == 130);
  CHECK(cost.ports == 20);
  CHECK(cost.alu == 2 * 15);  // 16 lanes
  CHECK(cost.queue == 40);
  CHECK(cost.pipe == 30);
  CHECK(cost.chain == 200);
  CHECK(cost.turns == Approx(15.0 * 15 / 130));  // behind another integer instruction: 15 of 130
  CHECK(cost.service() == Approx(150 + 15.0 * 15 / 130));
  auto counts = loop_counts();
  counts.queue_waits = 7;  // for room in the scheduler's memory queue
  CHECK(code_cost(counts, machine, all_enabled()).service() == Approx(150 + 15.0 * 15 / 130 + 7));
}

TEST_CASE("code (A14): warps of a segment share their scheduler, and the SM's pipe", "[analytic]") {
  auto enabled = all_enabled();
  auto counts = loop_counts();
  const auto time = [&](double warps) {
    return segment_cycles(code_cost(counts, machine, enabled), warps, machine, enabled);
  };
  CHECK(time(4) == Approx(four_warps));  // one a scheduler: they meet at the pipe
  counts.pipe_cycles = 0;
  CHECK(time(4) == Approx(200));  // its own chain
  counts.pipe_cycles = 30;
  CHECK(time(0) == 0);
  const double service = 150 + 15.0 * 15 / 130;  // of 200 cycles
  CHECK(time(8) == Approx(queued_at_two(2, service, 8, 30, 200)));
  counts.pipe_cycles = 0;  // two share a scheduler, which each uses for three quarters of its time
  const double waiting = time(8) - 200;
  CHECK(waiting == Approx(service * service / (time(8) - service)));
  counts.pipe_cycles = 30;
  enabled[static_cast<std::size_t>(BoundId::overlap)] = false;
  CHECK(time(8) == Approx(2 * service));
  counts.pipe_cycles = 50;  // 8 x 50 cycles of the one pipe
  CHECK(time(8) == Approx(400));
}

TEST_CASE("code (A15): what comes before a computation and the computation follow each other", "[analytic]") {
  auto k = coded_kernel(10, 3);
  k.phases[0].active_warps = 4;  // of eight: the others go round and wait
  CodeCounts around;
  around.issued = around.chain_cycles = 50;
  around.barriers = 1;
  k.phases[0].code->around = around;
  const auto w = code_wave(k, one_block, {}, machine, all_enabled());
  const double trip = 2 * 50 + four_warps;
  CHECK(w.all.issue.value() == Approx(3 * (2 * 50 + 130) * 1e-9));
  CHECK(w.all.chain.value() == Approx(3 * trip * 1e-9));
  CHECK(w.all.barrier.value() == Approx(3 * 20e-9));
  CHECK(w.all.alone().value() == Approx(3 * (trip + 20) * 1e-9));
  CHECK(wave_time(w.all, w, Seconds{}, all_enabled()).value() == Approx(3 * (trip + 20) * 1e-9));
  CHECK(wave_time(w.all, w, Seconds{1e-6}, all_enabled()).value() == Approx(1e-6 + 3 * (trip + 20) * 1e-9));
}

TEST_CASE("code (A14): warps that do unequally much", "[analytic]") {
  auto k = coded_kernel(10, 1);
  k.phases[0].code->compute.pipe_cycles = 0;
  const auto wave = [&] { return code_wave(k, one_block, {}, machine, all_enabled()).all; };
  const double service = 150 + 15.0 * 15 / 130;
  const auto shared = [&](double warps) { return queued(warps, service, 200); };
  CHECK(wave().chain.value() == Approx(shared(2) * 1e-9));  // eight warps
  // Four of the eight have nothing to do, those that do sit on two schedulers.
  k.phases[0].active_warps = 4;
  k.phases[0].uneven = UnevenWarps{2, 1};
  CHECK(wave().issue.value() == Approx(2 * 130e-9));
  CHECK(wave().chain.value() == Approx(shared(2) * 1e-9));
  // A scheduler has one warp, which does twice as much as the four do on average.
  k.phases[0].uneven = UnevenWarps{2, 2};
  CHECK(wave().issue.value() == Approx(2 * 130e-9));
  CHECK(wave().chain.value() == Approx(2 * 200e-9));
}

TEST_CASE("code (A15): a trip is not shorter than the way of the data that it asked for", "[analytic]") {
  auto k = coded_kernel(10, 1);
  k.phases[0].fetched = Bytes{4680};
  k.phases[0].fetch_distance = 1;
  k.phases[0].code->around.issued = k.phases[0].code->around.chain_cycles = 150;
  const Traffic hits;
  const auto alone = [&](const Traffic& traffic) {
    return code_wave(k, one_block, traffic, machine, all_enabled()).all.alone().value() * 1e9;
  };
  // Two warps a scheduler: 2 x 150 cycles before the requests are out, then 200 to L2 and back; the last of
  // ten blocks' 4,680 bytes come 168 later.
  const double service = 150 + 15.0 * 15 / 130;
  const double segments = 300 + queued_at_two(2, service, 8, 30, 200);
  REQUIRE(segments < 668);
  CHECK(alone(hits) == Approx(668));
  k.phases[0].fetch_distance = 2;  // two trips a round trip
  CHECK(alone(hits) == Approx(segments));
  k.phases[0].code->compute = {};
  CHECK(alone(hits) == Approx(468));  // L2
  k.phases[0].fetched = Bytes{1680};
  CHECK(alone(hits) == Approx(300));
  k.phases[0].fetch_distance = 0;  // waits for its own, which follow each other while it asks
  CHECK(alone(hits) == Approx(500));
  k.phases[0].fetched = Bytes{4000};  // 400 ns, and it asks for 300
  CHECK(alone(hits) == Approx(300 + 200 + 100));
  k.phases[0].fetched = Bytes{1280};
  // Of ten lines one is missed in most trips: 1 - 0.9^10.
  const double latency = 200 + 300 * (1 - std::pow(0.9, 10));
  CHECK(alone({.dram_read_share = 0.1}) == Approx(300 + latency));
}

TEST_CASE("code (A14): asynchronous copies take the pipe for longer than their sectors", "[analytic]") {
  auto d = device;
  d.async_copy_cycles_over_width = {.x = {4, 8, 16}, .y = {2.5, 3, 3.5}};
  auto k = coded_kernel(10, 1);
  k.phases[0].warp.async_copy.w32 = 8;    // 1.5 cycles more than 128 bytes need
  k.phases[0].warp.async_copy.w64 = 8;    // 1
  k.phases[0].warp.async_copy.w128 = 40;  // not less than 512 bytes need
  const auto pipe = [&](const Enabled& enabled) {
    return code_wave(k, one_block, {}, machine_of(d), enabled).all.pipe.value() * 1e9;
  };
  CHECK(pipe(all_enabled()) == Approx(8 * (30 + 8 * 1.5 + 8)));  // eight warps
  auto without = all_enabled();
  without[static_cast<std::size_t>(BoundId::shared)] = false;
  CHECK(pipe(without) == 0);
}

TEST_CASE("code (A15): loads into registers are waited for in the trip that makes them", "[analytic]") {
  auto k = coded_kernel(10, 1);
  k.phases[0].active_warps = 4;
  k.phases[0].fetched = Bytes{1280};  // ten blocks: 128 ns
  k.phases[0].fetch_distance = 1;
  auto& compute = k.phases[0].code->compute;
  compute.pipe_cycles = 0;
  const auto alone = [&] {
    return code_wave(k, one_block, {}, machine, all_enabled()).all.alone().value() * 1e9;
  };
  CHECK(alone() == Approx(200 + 128));  // copies, from trip to trip: the way to L2, longer than the chain
  compute.load_waits = 1;
  compute.load_distance = 50;  // of 200 cycles
  CHECK(alone() == Approx(200 + (200 - 50) + 128));
  compute.load_distance = 200;
  CHECK(alone() == Approx(200 + 128));
  // Counted in all trips, of which half load.
  compute.load_waits = 0.5;
  compute.load_distance = 25;
  CHECK(alone() == Approx(200 + (200 - 50) + 128));
  k.phases[0].fetched = Bytes{};  // the last trip
  CHECK(alone() == Approx(200));
}

TEST_CASE("code (A15): schedulers with fewer blocks get the next ones sooner", "[analytic]") {
  auto k = coded_kernel(100, 1);
  k.launch.threads = 32;
  k.phases[0].active_warps = 1;
  auto sharp = all_enabled();
  sharp[static_cast<std::size_t>(BoundId::overlap)] = false;
  const Wave five{.count = 2, .blocks_per_sm = 5, .active_sms = 10, .blocks = 50};
  const auto w = code_wave(k, five, {}, machine, sharp);
  CHECK(w.on_scheduler == 2);
  CHECK(w.groups_with_one_less == 3);
  // 150 cycles of a scheduler, 200 alone (and what turns take, which `sharp` has not).
  CHECK(wave_time(w.all, w, Seconds{}, sharp).value() == Approx(300e-9));
  CHECK(pace_of_waves(w.all, w, Seconds{}, sharp).value() == Approx(5 / (2 / 300e-9 + 3 / 200e-9)));
  // The three are done 100 ns sooner: room for a tail.
  CHECK(schedulers_free_sooner(w, sharp).blocks == 3);
  CHECK(schedulers_free_sooner(w, sharp).by.value() == Approx(100e-9));
  const Wave eight{.count = 2, .blocks_per_sm = 8, .active_sms = 10, .blocks = 80};
  const auto even = code_wave(k, eight, {}, machine, sharp);
  CHECK(even.groups_with_one_less == 0);
  CHECK(schedulers_free_sooner(even, sharp).blocks == 0);
  CHECK(pace_of_waves(even.all, even, Seconds{}, sharp).value() == Approx(300e-9));
}

TEST_CASE("code (A9): a tail begins where the blocks that began first have ended", "[analytic]") {
  auto k = coded_kernel(100, 1);
  k.launch.threads = 32;
  k.phases[0].active_warps = 1;
  auto sharp = all_enabled();
  sharp[static_cast<std::size_t>(BoundId::overlap)] = false;
  const auto w =
      code_wave(k, {.count = 1, .blocks_per_sm = 4, .active_sms = 10, .blocks = 40}, {}, machine, sharp);
  // One warp a scheduler, 200 ns alone: the first of four is done 60 ns before the last, which began 80
  // later.
  const Seconds later{80e-9};
  CHECK(begun_sooner(w, 1, later, sharp).value() == Approx(60e-9));
  CHECK(begun_sooner(w, 4, later, sharp).value() == Approx(0).margin(1e-15));
  CHECK(begun_sooner(w, 1, Seconds{}, sharp).value() == Approx(0).margin(1e-15));
}

TEST_CASE("code (A9): behind pairs of blocks a tail comes to schedulers in twos", "[analytic]") {
  auto k = coded_kernel(100, 1);
  k.launch.threads = 128;
  k.phases[0].active_warps = 4;
  const auto wave = [&](double blocks_per_sm) {
    return code_wave(k, {.count = 1, .blocks_per_sm = blocks_per_sm, .active_sms = 10}, {}, machine,
                     all_enabled());
  };
  const auto pairs = wave(2), tail = wave(1);
  CHECK(pairs.in_pairs);
  CHECK_FALSE(tail.in_pairs);
  CHECK_FALSE(wave(3).in_pairs);
  // Of 132 SMs: few blocks find places on as many SMs, but of clusters.
  const auto in_twos = [&](double blocks, double cluster, double count = 1) {
    return tail_in_twos(pairs, count, {.count = 1, .blocks_per_sm = 1, .blocks = blocks}, cluster, 132);
  };
  CHECK_FALSE(in_twos(66, 1));
  CHECK(in_twos(67, 1));
  CHECK(in_twos(8, 2));
  CHECK_FALSE(in_twos(120, 1, 4));  // in step no longer
  const auto alone = tail.all.alone();
  const double service = tail.all.scheduler() / alone;
  CHECK(crowded_time(tail.all, tail, tail.paced, Seconds{}, all_enabled()).value() ==
        Approx(queued_at_two(2, service, 1, tail.all.wide() / alone, 1) * alone.value()));
  CHECK(crowded_time(tail.all, tail, tail.paced, Seconds{}, all_enabled()) >
        wave_time(tail.all, tail, Seconds{}, all_enabled()));
  k.launch.threads = 32;  // four groups of schedulers: an SM's first four go to different ones
  k.phases[0].active_warps = 1;
  CHECK(wave(8).in_pairs);
  CHECK_FALSE(tail_in_twos(wave(8), 1, {.count = 1, .blocks_per_sm = 1, .blocks = 120}, 1, 132));
  CHECK(tail_in_twos(wave(8), 1, {.count = 1, .blocks_per_sm = 4, .blocks = 512}, 1, 132));
  k.launch.threads = 256;  // two warps of one block on a scheduler
  k.phases[0].active_warps = 8;
  CHECK_FALSE(wave(1).in_pairs);
  CHECK_FALSE(wave(2).in_pairs);
}

TEST_CASE("code (A18): blocks begin together and drift apart", "[analytic]") {
  auto k = coded_kernel(20, 10);
  k.phases[0].active_warps = 4;
  k.phases.push_back({});  // stores alone
  k.phases[1].name = "store";
  k.phases[1].active_warps = 4;
  k.phases[1].stored = Bytes{20000};  // 20 blocks: 4 us
  k.phases[1].code = CodeSegments{};
  const Wave two{.count = 1, .blocks_per_sm = 2, .active_sms = 10, .blocks = 20};
  auto sharp = all_enabled();
  sharp[static_cast<std::size_t>(BoundId::overlap)] = false;
  // Two warps a scheduler, 150 cycles each, ten times; then 4 us of stores, a block's 2.
  const auto w = code_wave(k, two, {}, machine, sharp);
  CHECK(w.phases[0].scheduler().value() == Approx(10 * 2 * 150e-9));
  CHECK(w.all.alone().value() == Approx((10 * 200 + 2000) * 1e-9));
  const Seconds apart = wave_time(w.all, w, Seconds{}, sharp);
  CHECK(apart.value() == Approx(4e-6));
  auto t = together(w, Seconds{}, sharp);
  CHECK(t.loading.value() == Approx(0).margin(1e-15));
  CHECK(t.storing.value() == Approx(0.8 * 3e-6));  // of 3 + 4
  // Wave k keeps 1 / sqrt(k), as far as L2 is not busy with stores anyway: here it is all the time.
  CHECK(t.left == 0);
  CHECK(together_time(t, w, 0, 4).value() == Approx(t.storing.value()));
  t.left = 1;
  CHECK(together_time(t, w, 0, 1).value() == Approx(t.storing.value()));
  const double four = 1 + 1 / std::sqrt(2) + 1 / std::sqrt(3) + 1.0 / 2;
  CHECK(together_time(t, w, 0, 4).value() == Approx(four * t.storing.value()).epsilon(0.01));
  CHECK((together_time(t, w, 0, 1) + together_time(t, w, 1, 3)).value() ==
        Approx(together_time(t, w, 0, 4).value()));
  // A block ends when an SM has room for 14 KB of its two blocks' 40,000 bytes.
  CHECK(w.stores_left.value() == Approx(448 * 32 / 40000.0 * 2e-6));

  // Of three blocks the older ones go first, which parts them after two waves.
  const Wave three{.count = 1, .blocks_per_sm = 3, .active_sms = 10, .blocks = 30};
  const auto w3 = code_wave(k, three, {}, machine, sharp);
  t = together(w3, Seconds{}, sharp);
  CHECK(t.storing.value() == Approx(0.4 * 4.5e-6));  // of 4.5 + 6
  t.left = 1;
  CHECK(together_time(t, w3, 0, 5).value() == Approx(2 * t.storing.value()));
  CHECK(together_time(t, w3, 2, 3).value() == Approx(0).margin(1e-15));

  // Blocks of clusters wait for each other: all of it.
  auto clustered = machine;
  clustered.cluster = 2;
  const auto wc = code_wave(k, three, {}, clustered, sharp);
  t = together(wc, Seconds{}, sharp);
  CHECK(t.storing.value() == Approx(4.5e-6));

  // What they wait for at the beginning hides behind nothing.
  Phase load;
  load.name = "load";
  load.active_warps = 4;
  load.exposed_latencies = 1;  // 200 cycles
  load.code = CodeSegments{};
  k.phases.insert(k.phases.begin(), load);
  const auto loading = code_wave(k, two, {}, machine, sharp);
  t = together(loading, Seconds{}, sharp);
  CHECK(t.loading.value() == Approx(200e-9));

  const auto longer = [&](std::int64_t blocks) {
    k.launch.blocks = blocks;
    return (predict(k, device).time - predict(k, device, {.without = {"together"}}).time).value();
  };
  CHECK(longer(20) > 0);
}

TEST_CASE("code (A15, A16): a kernel's time by hand", "[analytic]") {
  auto k = coded_kernel(10, 50);
  k.phases[0].active_warps = 4;
  auto d = device;
  const auto time = [&] { return predict(k, d).time.value(); };
  const double loop = 50 * four_warps * 1e-9;
  CHECK(time() == Approx(1e-6 + loop));
  CHECK(predict(k, d).limiter == "chain");
  // An instruction in eight cycles, where the block takes `four_warps` for 130 of each: the rest is waited
  // for.
  d.fma_rate_over_loop_length = {{256, 8192}, {4}, {16, 16}, {}};
  k.code_instructions = 2048;  // 256 lines fill 64 sets of 4
  CHECK(time() == Approx(1e-6 + loop));
  const double waited = 8 * (8 - four_warps / 130) * 1e-9;  // a line
  k.code_instructions = 2048 + 16;                          // two sets have a line more, and lose all five
  CHECK(time() == Approx(1e-6 + loop + 10 * waited));
  k.code_instructions = 2560 + 1;  // 321 lines: five in each set, six in one
  CHECK(time() == Approx(1e-6 + loop + 321 * waited));
  CHECK(bound(predict(k, d), "fetch").value() == Approx(321 * waited));
  // A later block goes through all of it again, but for the loops where other blocks are.
  k.loop_instructions = 0.75 * k.code_instructions;
  CHECK(lines_first(k) == 321);
  CHECK(lines_again(k, 321, 1) == 321);
  CHECK(lines_again(k, 321, 2) == Approx(321.0 / 4));
  CHECK(fetch_time(10, 3, machine_of(d)).value() == Approx(10 * 8 * 5e-9));
  CHECK(fetch_time(10, 9, machine_of(d)).value() == 0);  // who takes longer waits for nothing
  CHECK(predict(k, d, {.without = {"fetch"}}).time.value() == Approx(1e-6 + loop));
}

TEST_CASE("code (A16): lines that no warp goes through move those behind them to other sets", "[analytic]") {
  KernelDescription k;
  k.code_instructions = 8 * 248;
  CHECK(lines_first(k) == 0);
  // With 16 further lines there are 264, of which sets 0 to 7 have a fifth. Those 16 are in sets 16 to 31.
  k.skipped_instructions = 8 * 16;
  k.before_skipped = 8 * 80;
  CHECK(lines_first(k) == 8 * 5);
  k.before_skipped = 8 * 68;  // in sets 4 to 19
  CHECK(lines_first(k) == 4 * 5);
  k.code_instructions += 8 * 128;  // 392 lines: six in each set, seven in 8
  CHECK(lines_first(k) == 248 + 128);
}

TEST_CASE("code (A16): a phase that waits long for other things does not hide the others' lines",
          "[analytic]") {
  auto k = coded_kernel(10, 1);
  k.phases[0].active_warps = 4;
  k.phases.push_back(k.phases[0]);
  auto& slow = k.phases[1].code->compute;
  slow.issued = 2 * 130;
  slow.chain_cycles = 8 * 2 * 130;  // no faster than the lines come
  auto d = device;
  d.fma_rate_over_loop_length = {{256, 8192}, {4}, {16, 16}, {}};
  k.code_instructions = 2048 + 16;
  CHECK(bound(predict(k, d), "fetch").value() == Approx(10 * 8 * (8 - four_warps / 130) / 3 * 1e-9));
}

TEST_CASE("code (A19): spilled registers are stored through to L2, and come from there where L1 has not room",
          "[analytic]") {
  auto k = coded_kernel(10, 1);
  auto& phase = k.phases[0];
  phase.active_warps = 8;
  phase.code->around.local_loads = 4;
  phase.code->around.local_stores = 2;
  phase.code->around.long_waits = 3;
  phase.fetched = Bytes{4096};
  // 8 warps x 4 lines beside 4 KB of copies: all there. Two words of 8 warps are stored.
  CHECK(local_memory(phase, one_block).hit == 1);
  CHECK(local_memory(phase, one_block).read.value() == 0);
  CHECK(local_memory(phase, one_block).written.value() == 8 * 2 * 128);
  const Wave seven{.count = 1, .blocks_per_sm = 7, .active_sms = 10, .blocks = 70};
  CHECK(local_memory(phase, seven).hit == Approx(28.0 / 56));
  CHECK(local_memory(phase, seven).read.value() == Approx(8 * 4 * 128 / 2));
  // 4 KB that lie in 80 lines instead of 32.
  auto scattered = phase;
  scattered.fetched_lines = 80;
  CHECK(local_memory(scattered, seven).hit == Approx(224.0 / (7 * (80 + 32))));
  // Two of the waits are for spills, of two words each: three in four are for L2, 29 cycles in L1 already
  // counted; once behind the trip's own data, which are no later here.
  auto spilled = k, none = k;
  none.phases[0].code->around.local_loads = none.phases[0].code->around.local_stores = 0;
  const auto chain = [&](const KernelDescription& of) {
    return code_wave(of, seven, {}, machine, all_enabled()).all.chain.value() * 1e9;
  };
  const double latency = machine.l2_latency->value();
  CHECK(chain(spilled) > chain(none));
  CHECK(chain(spilled) - chain(none) <= Approx(2 * 0.75 * 2 * (latency - 29)));
  // L2 takes 1.17 times as long for what has been stored to before.
  CHECK((l2_write_time(phase, seven, {}, machine) - l2_write_time(none.phases[0], seven, {}, machine))
            .value() == Approx(70 * 1.17 * 8 * 2 * 128 / machine.l2_write->value()));
  CHECK(machine_of(device, spilled).local_memory);
  CHECK_FALSE(machine_of(device, none).local_memory);
  CHECK(l2_read_time(phase, seven, {}, machine) > l2_read_time(none.phases[0], seven, {}, machine));
}

TEST_CASE("code (A15): every bound can be switched off, and none is longer than the time", "[analytic]") {
  auto k = coded_kernel(45, 7);
  k.phases[0].fetched = k.phases[0].stored = Bytes{4096};
  k.phases[0].exposed_latencies = 1;
  k.phases[0].code->around = loop_counts();
  k.phases[0].code->around.barriers = 2;
  k.streams = {{"input", false, Bytes{1e5}, Bytes{45 * 7 * 4096.0}}};
  const auto p = predict(k, device);
  for (const auto& b : p.bounds) {
    INFO(b.name);
    CHECK(p.time.value() >= b.time.value() * (1 - 1e-12));
    const auto less = predict(k, device, {.without = {std::string(b.name)}});
    CHECK(less.time.value() <= p.time.value() * (1 + 1e-12));
    CHECK(less.bounds.size() + 1 == p.bounds.size());
  }
  CHECK(predict(k, device, {.without = bound_names()}).time.value() == 0);
}

TEST_CASE("code (A15): blocks of one SM fill each other's gaps", "[analytic]") {
  const auto one = predict(coded_kernel(10, 50), device), two = predict(coded_kernel(20, 50), device);
  CHECK(two.time > one.time);
  CHECK(two.time.value() < 2 * one.time.value());
}

TEST_CASE("code (A12): the interval follows the clock", "[analytic]") {
  auto d = device;
  ParameterInfo clock;
  clock.low = 0.8e9;
  clock.high = 1.25e9;
  d.sm_clock.set(Frequency{1e9}, clock);
  d.compute_capability_major = 9;
  const auto p = predict(coded_kernel(20, 50), d, {.without = {"launch"}});
  CHECK(p.low.value() == Approx(0.8 * p.time.value()));
  CHECK(p.high.value() == Approx(1.25 * p.time.value()));  // ports are counted: no allowance for them
}
