#include "model/analytic/bounds.hpp"

#include <cmath>

#include "model/analytic/analytic_test_device.hpp"
#include "model/device/stand_ins.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

const auto device = round_device();
const auto machine = machine_of(device);

// Ten SMs with one block each.
const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};

}  // namespace

TEST_CASE("fma bound (A1): eight warps on four schedulers of 32 lanes", "[analytic]") {
  auto p = round_phase();
  CHECK(fma_cycles(p, 1, machine).value() == 2 * 100);
  CHECK(fma_cycles(p, 3, machine).value() == 6 * 100);
  p.active_warps = 5;  // one scheduler still has two warps
  CHECK(fma_cycles(p, 1, machine).value() == 2 * 100);
  auto slow = device;
  slow.fma_rate.set(PerCycle{64});
  CHECK(fma_cycles(p, 1, machine_of(slow)).value() == 2 * 200);
  slow.fma_rate.set(PerCycle{500});  // no rate above the lanes
  CHECK(fma_cycles(p, 1, machine_of(slow)).value() == 2 * 100);
}

TEST_CASE("issue bound (A2): every instruction takes a slot", "[analytic]") {
  auto p = round_phase();
  CHECK(issue_cycles(p, 1, machine).value() == 2 * 130);
  p.warp.barriers = 1;
  p.warp.control = 4;
  p.warp.async_copy.w128 = 5;
  CHECK(issue_cycles(p, 1, machine).value() == 2 * 140);
}

TEST_CASE("shared bound (A3): wavefronts of shared and global accesses", "[analytic]") {
  auto p = round_phase();
  CHECK(shared_cycles(p, 1, machine).value() == 8 * 40);
  p.warp.global_load.w32 = 1;
  p.warp.global_load.sectors = 8;
  CHECK(shared_cycles(p, 2, machine).value() == 2 * 8 * 42);
  p.warp.global_load.sectors = 1;  // still one wavefront
  CHECK(shared_cycles(p, 1, machine).value() == 8 * 41);
  auto half = device;
  half.shared_read.set(BytesPerCycle{64});
  CHECK(shared_cycles(p, 1, machine_of(half)).value() == 2 * 8 * 41);
}

TEST_CASE("l2 bound (A4): bytes of all blocks at the device's bandwidth", "[analytic]") {
  auto p = round_phase();
  p.fetched = Bytes{1000};
  p.stored = Bytes{500};
  CHECK(l2_time(p, wave, {}, machine).value() == Approx(15000 / 1e11));
  CHECK(l2_time(p, wave, {.l2_read_share = 0.5}, machine).value() == Approx(10000 / 1e11));
  // 8 warps whose stores touch 10 sectors each, all in part, as they write 500 of their 2560 bytes: 1.5 times
  // the time of whole ones.
  p.active_warps = 8;
  p.warp.global_store.sectors = 10;
  CHECK(l2_time(p, wave, {}, machine).value() == Approx((10000 + 10 * 1.5 * 2560) / 1e11));
  p.stored = Bytes{1920};  // three quarters of them: every second sector by half
  CHECK(l2_time(p, wave, {}, machine).value() == Approx((10000 + 10 * 1.25 * 2560) / 1e11));
  p.stored = Bytes{2560};
  CHECK(l2_time(p, wave, {}, machine).value() == Approx((10000 + 10 * 2560) / 1e11));
  // S6. The family counts 4 lines' masks a warp; three quarters of the sectors are stored to again.
  p.stored = Bytes{640};
  p.warp.global_store.masks = 4;
  CHECK(l2_time(p, wave, {}, machine).value() ==
        Approx((10000 + 10 * 8 * 14 * 32 * (1 + 0.75 * stand_in::stored_again_cost)) / 1e11));
  p.warp.global_store.joined = 3;  // sectors and masks fewer, as lines are sent once
  CHECK(l2_time(p, wave, {}, machine).value() ==
        Approx((10000 + 10 * 8 * 11 * 32 * (1 + 0.75 * stand_in::stored_again_cost)) / 1e11));
  p.warp.global_store.joined = 0;
  // All of them whole ones, each alone in its line.
  p.stored = Bytes{2560};
  p.warp.global_store.masks = 0;
  p.warp.global_store.lone_sectors = 10;
  CHECK(l2_time(p, wave, {}, machine).value() == Approx((10000 + 10 * 1.4 * 2560) / 1e11));
  auto unknown = device;
  unknown.l2_read = {};
  CHECK(l2_time(p, wave, {}, machine_of(unknown)).value() == 0);
}

TEST_CASE("l2 bound (A4): what a partly filled sector costs, from the profile's rates of half sectors",
          "[analytic]") {
  auto d = device;  // 10 SMs at 1 GHz, l2_write as l2_read: 1e11 B/s, 10 B a cycle and SM
  auto& rates = d.store_rate_filled_by_warp_over_piece_and_sms;
  rates.rows = {8, 16};
  rates.columns = {1, 10};
  rates.y = {1, 1, 8, 2};  // useful bytes: of one SM 16 asked, of all 4
  const auto cost = machine_of(d).partial_sector;
  CHECK(cost.port == Approx(32 / 16.0));
  CHECK(cost.l2 == Approx(10 / 4.0));
  CHECK(machine.partial_sector.l2 == 1.5);
}

TEST_CASE("l2 bound (A4): the busiest SM has no more than its own way to L2", "[analytic]") {
  auto d = device;
  d.l2_read_over_active_sms = {{1, 10}, {2e10, 1e11}};
  const Wave one_sm{.count = 1, .blocks_per_sm = 2, .active_sms = 1, .blocks = 2};
  auto p = round_phase();
  p.fetched = Bytes{1000};
  CHECK(l2_time(p, one_sm, {}, machine_of(d)).value() == Approx(2000 / 2e10));
  CHECK(l2_time(p, one_sm, {}, machine).value() == Approx(2000 / 1e11));  // not measured
  // 32 bytes a cycle of stores.
  p.fetched = Bytes{};
  p.stored = Bytes{640};
  CHECK(l2_time(p, one_sm, {}, machine_of(d)).value() == Approx(1280 / 32 * 1e-9));
  // Stores of half of the SMs: 0.75 of what all of them may take.
  const Wave half{.count = 1, .blocks_per_sm = 1, .active_sms = 5, .blocks = 100};
  CHECK(l2_time(p, half, {}, machine).value() == Approx(64000 / 0.75e11));
}

TEST_CASE("l2 bound (A4): reads and stores of blocks that are apart go beside each other", "[analytic]") {
  Phase phase;
  phase.trips = 2, phase.active_warps = 4;
  phase.warp.global_store.sectors = 8;
  phase.stored = Bytes{4 * 8 * 32};
  const auto together = [&](double reads, double stores) {
    return l2_time_together(Seconds{reads}, Seconds{stores}, {&phase, 1}).value();
  };
  CHECK(together(3, 0) == 3);
  CHECK(together(0, 3) == 3);
  CHECK(together(1, 4) == Approx(4.4));
  CHECK(together(4, 1) == Approx(4.5));
  phase.stored = Bytes{4 * 8 * 24};  // a quarter of the sectors is not filled
  CHECK(together(1, 4) == Approx(4 + 0.4 + 1.53 / 4));
  phase.stored = Bytes{4 * 8 * 8};
  CHECK(together(1, 4) == Approx(5));  // one after the other
}

TEST_CASE("dram bound (A5): what misses L2, at the bandwidth that the bytes in flight sustain",
          "[analytic]") {
  auto p = round_phase();
  p.fetched = Bytes{1000};
  p.stored = Bytes{500};
  const Traffic half{.dram_read_share = 0.5, .dram_write_share = 0};
  CHECK(dram_time(p, wave, half, machine).value() == Approx(5000 / 1e10));
  CHECK(dram_time(p, wave, {}, machine).value() == 0);
  const Traffic both{.dram_read_share = 0.5, .dram_write_share = 1};
  CHECK(dram_time(p, wave, both, machine).value() == Approx((5000 + 5000) / 1e10));
  const Traffic in_turn{.dram_read_share = 0.5, .dram_write_share = 1, .dram_turns = 1e-11};
  CHECK(dram_time(p, wave, in_turn, machine).value() == Approx((5000 + 5000) / 1e10 + 10000 * 1e-11));
  const auto busy = dram_busy(p, wave, in_turn, machine);
  CHECK(busy.all == dram_time(p, wave, in_turn, machine));
  CHECK(busy.written.value() == Approx(5000 / 1e10 + 10000 * 1e-11));  // the turns, too: for reads among them

  auto curved = device;
  curved.dram_read_over_bytes_in_flight.x = {1e4, 4e4};
  curved.dram_read_over_bytes_in_flight.y = {5e9, 1e10};
  const auto m = machine_of(curved);
  // 5,000 B in flight: half of the first point's bandwidth.
  CHECK(dram_time(p, wave, half, m).value() == Approx(5000 / 2.5e9));
  // However few they are, DRAM is busy for no more than these.
  CHECK(dram_busy(p, wave, half, m).all.value() == Approx(5000 / 1e10));
  CHECK(dram_busy(p, wave, half, m).written.value() == 0);
  CHECK(dram_busy(p, wave, both, m).all.value() == Approx((5000 + 5000) / 1e10));
  p.fetch_distance = 4;  // 20,000 B in flight: half way from 1e4 to 4e4 on the logarithmic axis
  CHECK(dram_time(p, wave, half, m).value() == Approx(5000 / 7.5e9));
}

TEST_CASE("latency bound (A6): exposed round trips, and Little's law for those asked ahead", "[analytic]") {
  auto p = round_phase();
  p.fetched = Bytes{1000};
  p.fetch_distance = 3;
  p.exposed_latencies = 2;
  const Traffic quarter{.dram_read_share = 0.25};  // 0.75 x 200 + 0.25 x 500 = 275 cycles
  CHECK(latency_time(p, quarter, machine).exposed.value() == Approx(550e-9));
  CHECK(latency_time(p, quarter, machine).round_trip.value() == Approx(275e-9 / 3));
  p.fetch_distance = 0;  // waits for its own loads, at least once
  p.exposed_latencies = 0;
  CHECK(latency_time(p, {}, machine).exposed.value() == Approx(200e-9));
  CHECK(latency_time(p, {}, machine).round_trip.value() == 0);
  p.fetched = Bytes{};
  CHECK(latency_time(p, {}, machine).exposed.value() == 0);
}

TEST_CASE("barrier and launch bounds (A7, A8)", "[analytic]") {
  auto p = round_phase();
  p.warp.barriers = 2;
  CHECK(barrier_time(p, machine).value() == Approx(40e-9));
  CHECK(launch_time(3, 256, machine).value() == 1e-6);  // of one block: all that is known
  auto unknown = device;
  unknown.barrier = {};
  unknown.launch_graph = {};
  CHECK(barrier_time(p, machine_of(unknown)).value() == 0);
  CHECK(launch_time(3, 256, machine_of(unknown)).value() == 0);
}

TEST_CASE("fma and issue bounds (A1, A2): a register tile short of ports takes pipe cycles and issue slots",
          "[analytic]") {
  auto d = device;
  d.fma_rate.set(PerCycle{120});
  d.fma_rate_over_register_tile = {{1, 8}, {4, 8}, {128, 128, 128, 80}, {}};
  auto k = round_kernel(10, 1);
  const auto& p = k.phases[0];
  // No tile: fma_rate. 100 FFMA and 30 others, two warps a scheduler.
  CHECK(fma_cycles(p, 1, machine_of(d, k)).value() == Approx(2 * 100 * 128 / 120.0));
  CHECK(issue_cycles(p, 1, machine_of(d, k)).value() == 2 * 130);
  k.register_tile = RegisterTile{8, 8};  // 128 / 80 = 1.6 slots an FFMA
  CHECK(fma_cycles(p, 1, machine_of(d, k)).value() == Approx(2 * 160));
  CHECK(issue_cycles(p, 1, machine_of(d, k)).value() == Approx(2 * (160 + 30)));
  k.register_tile = RegisterTile{1, 8};
  CHECK(fma_cycles(p, 1, machine_of(d, k)).value() == Approx(2 * 100));
  CHECK(issue_cycles(p, 1, machine_of(d, k)).value() == Approx(2 * 130));

  // 64 lanes: an FFMA takes the lanes two cycles and one slot. A tile at 40 a cycle: 3.2 cycles, 1.2 of them
  // stalls.
  d.fp32_lanes_per_sm.set(64);
  k.register_tile = RegisterTile{1, 4};
  d.fma_rate_over_register_tile.y = {64, 40, 40, 40};
  CHECK(fma_cycles(p, 1, machine_of(d, k)).value() == Approx(2 * 200));
  CHECK(issue_cycles(p, 1, machine_of(d, k)).value() == Approx(2 * 130));
  k.register_tile = RegisterTile{8, 8};
  CHECK(fma_cycles(p, 1, machine_of(d, k)).value() == Approx(2 * 320));
  CHECK(issue_cycles(p, 1, machine_of(d, k)).value() == Approx(2 * (220 + 30)));
}

TEST_CASE("l2 bound (A4): the busiest SM's blocks, where all run at once, are no edges", "[analytic]") {
  const auto m = machine_of(device);
  Phase phase;
  phase.stored = Bytes{32000};  // 1000 cycles of an SM's way to L2
  const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 2, .blocks = 2};
  Traffic traffic;
  traffic.l2_write_share = 0.75;  // the other block has half as much
  CHECK(l2_write_time(phase, wave, traffic, m).value() == Approx(750e-9));
  traffic.single_wave = true;
  CHECK(l2_write_time(phase, wave, traffic, m).value() == Approx(1000e-9));
}

TEST_CASE("l2 bound (A4): an SM's further blocks may be the edge with which the grid ends", "[analytic]") {
  const auto m = machine_of(device);
  Phase phase;
  phase.stored = Bytes{32000};  // 1000 cycles of an SM's way to L2
  // Two blocks on four of ten SMs, one on six.
  const Wave wave{.count = 1, .blocks_per_sm = 2, .active_sms = 10, .blocks = 14};
  const auto time = [&](double edge_blocks) {
    const Traffic traffic{
        .l2_write_share = 0.5, .single_wave = true, .edge_blocks = edge_blocks, .edge_stored = 0.25};
    return l2_write_port_time(phase, wave, traffic, m).value();
  };
  CHECK(time(3) == Approx(2000e-9));  // 11 whole ones: some SM has two of them
  CHECK(time(4) == Approx(1250e-9));
  CHECK(time(7) == Approx(1250e-9));
}

TEST_CASE("l2 bound (A4): in a single wave no SM stores more than its share for others", "[analytic]") {
  auto m = machine_of(device);
  m.sms = 100;
  m.l2_write = Bandwidth{16 * m.sms * m.clock.value()};  // half of each SM's own way
  Phase phase;
  phase.stored = Bytes{32000};  // 1000 cycles of it
  const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = m.sms, .blocks = m.sms};
  const auto cycles = [&](bool single) {
    return (l2_write_time(phase, wave, {.single_wave = single}, m) * m.clock).value();
  };
  CHECK(cycles(false) == Approx(2000));
  CHECK(cycles(true) == Approx(2000 / 0.95));
}

TEST_CASE("l2 bound (A4): who has a block more stores it when the others are done", "[analytic]") {
  CHECK(written_share(80, 132) == Approx(0.70).margin(0.005));  // the fullest GPC has most of its SMs at work
  CHECK(written_share(100, 132) == Approx(0.79).margin(0.005));
  auto d = device;
  auto m = machine_of(d);
  m.sms = 100;
  m.l2_write = Bandwidth{16 * m.sms * m.clock.value()};  // half of each SM's own way
  Phase phase;
  phase.stored = Bytes{32000};
  Wave wave{.count = 1, .blocks_per_sm = 2, .active_sms = m.sms, .blocks = 2 * m.sms};
  const double own = (Cycles{1000} / m.clock).value();
  const auto time = [&](std::optional<Seconds> later) {
    return l2_write_time(phase, wave, {}, m, later).value() / own;
  };
  CHECK(sms_with_one_more(wave) == 0);  // all have two
  CHECK(time(Seconds{}) == Approx(4));
  wave.blocks = 1.25 * m.sms;
  CHECK(sms_with_one_more(wave) == 25);
  CHECK(time(std::nullopt) == Approx(2.5));  // as if the device's stores were spread over all of the time
  CHECK(time(Seconds{}) == Approx(2 + 1));   // a block while all store, one by its own way
  // The others store in 1.5 by themselves.
  CHECK(time(Seconds{0.75 * own}) == Approx(2 + 0.5));
  CHECK(time(Seconds{0.9 * own}) == Approx(2.5));  // L2 takes 1.25 blocks of each
  wave.blocks = 1.8 * m.sms;
  CHECK(time(Seconds{}) == Approx(2 + 2 * 0.8 / written_share(80, m.sms)));
  phase.warp.shared_store.wavefronts = 1;  // in passes
  CHECK(time(Seconds{}) == Approx(2 * 1.8));
  phase.warp.shared_store.wavefronts = 0;
  phase.stores_apart = 4;  // stores as it computes
  CHECK(time(std::nullopt) == Approx(2 + 2 * 0.8 / written_share(80, m.sms)));
}

TEST_CASE("latency bound (A6): what a launch that stores ends later by, measured or as long as a hit",
          "[analytic]") {
  auto d = device;
  auto k = round_kernel(10, 1);
  CHECK(drain_time(k, machine_of(d)).value() == 0);  // stores nothing
  k.phases[0].stored = Bytes{4};
  CHECK(drain_time(k, machine_of(d)).value() == Approx(200e-9));  // l2_latency
  d.store_drain.set(Seconds{300e-9});
  // Less 210 cycles of the probe's own, and 75 where hardly an SM is at work: 1 of 10 here.
  k.launch.blocks = 20;
  CHECK(drain_time(k, machine_of(d)).value() == Approx((300 - 210) * 1e-9));
  k.launch.blocks = 1;
  CHECK(drain_time(k, machine_of(d)).value() == Approx((300 - 210 - 0.9 * 75) * 1e-9));
  k.phases[0].cluster_barriers_behind = 1;  // which has waited as long
  CHECK(drain_time(k, machine_of(d)).value() == 0);
}

TEST_CASE("latency bound (A6): a launch waits once for its constants and its first load (S14, S17)",
          "[analytic]") {
  auto d = device;
  auto k = round_kernel(10, 1);
  CHECK(first_access_time(k, machine_of(d)) == Seconds{});
  k.constant_lines = 2;
  CHECK(first_access_time(k, machine_of(d)).value() == Approx(2 * 122e-9));
  d.store_drain.set(Seconds{300e-9});
  k.phases[0].fetched = Bytes{128};
  const Seconds with_constants = first_access_time(k, machine_of(d));
  k.constant_lines = 0;
  CHECK(first_access_time(k, machine_of(d)).value() > 0);
  CHECK((with_constants - first_access_time(k, machine_of(d))).value() == Approx(2 * 122e-9));
}

TEST_CASE("launch bound (A8): by blocks on every SM and their threads", "[analytic]") {
  auto d = device;
  d.launch_grid.set(Seconds{2e-6});
  CHECK(launch_time(4, 256, machine_of(d)).value() == Approx(2e-6));
  d.block_dispatch.set(Cycles{100});
  CHECK(launch_time(4, 256, machine_of(d)).value() == Approx(2.3e-6));
  // A single block on ten SMs, and half the way there by its logarithm: 0.5^1.5 of 1 us more.
  CHECK(launch_time(0.1, 256, machine_of(d)).value() == Approx(1e-6));
  CHECK(launch_time(std::sqrt(10.0) / 10, 256, machine_of(d)).value() == Approx(1.3536e-6).epsilon(1e-4));

  d.launch_over_blocks_and_threads = {{1, 2, 4}, {128, 256}, {1e-6, 2e-6, 2e-6, 4e-6, 4e-6, 8e-6}, {}};
  const auto m = machine_of(d);
  CHECK(launch_time(1, 128, m).value() == Approx(1e-6));
  CHECK(launch_time(3, 128, m).value() == Approx(3e-6));
  CHECK(launch_time(2, 192, m).value() == Approx(3e-6));
  CHECK(launch_time(2, 64, m).value() == Approx(2e-6));               // as 128
  CHECK(launch_time(2, 1024, m).value() == Approx(4e-6));             // as 256
  CHECK(launch_time(10, 256, m).value() == Approx(20e-6));            // 2 us more a block
  CHECK((replacement_time(96, m) * m.clock).value() == Approx(416));  // 400 and 96 / 6

  auto spilling = m;  // S16
  spilling.local_memory = true;
  CHECK(launch_time(3, 128, spilling).value() == Approx(3e-6 + 74e-9));

  d.launch_cluster_over_blocks = {.x = {2, 4}, .y = {2.5e-6, 2.25e-6}};
  auto in_clusters = machine_of(d);
  in_clusters.cluster = 2;  // 0.5 us more than without clusters, then three halves of the time a block
  CHECK(launch_time(1, 128, in_clusters).value() == Approx(1.5e-6));
  // Of few blocks what clusters take longer comes in as the rest does: 1 us of one block, 1.5 of all SMs.
  CHECK(launch_time(std::sqrt(10.0) / 10, 128, in_clusters).value() == Approx(1.17678e-6).epsilon(1e-4));
  CHECK(launch_time(3, 128, in_clusters).value() == Approx(1.5e-6 + 1.5 * 2e-6));
  CHECK((replacement_time(96, in_clusters) * m.clock).value() == Approx(506));
}

TEST_CASE("launch bound (A8): besides the work, and where an SM has room for fewer blocks", "[analytic]") {
  auto d = device;
  d.max_blocks_per_sm.set(32);
  auto k = round_kernel(10, 1);  // of 256 threads, eight of which fit
  const auto ns = [&](double blocks) { return 1e9 * launch_time(blocks, 256, machine_of(d, k)).value(); };
  const auto ns_beside = [&](double blocks) {
    return 1e9 * launch_beside_work(blocks, 256, machine_of(d, k)).value();
  };
  CHECK(ns(1) == Approx(1000));
  CHECK(ns_beside(1) == Approx(1000));  // the probe's single block does nothing
  d.launch_over_blocks_and_threads = {{1, 2}, {256}, {2e-6, 3e-6}, {}};
  CHECK(ns(1) == Approx(2000));
  CHECK(ns_beside(1) == Approx(2000 - 53));
  k.launch.shared = d.shared_per_block.get();  // one fits
  CHECK(ns(2) == Approx(3000 - 2 * 7));
  CHECK(ns_beside(2) == Approx(3000 - 53 - 2 * 7));
  CHECK(ns(0.1) == Approx(1000 - 2 * 31));  // 32 single blocks of one warp would fit
  CHECK(ns_beside(0.1) == Approx(1000 - 2 * 31));
}

TEST_CASE("machine: the boost clock stands in for the measured one, nothing stands in for both",
          "[analytic]") {
  auto d = device;
  d.sm_clock = {};
  CHECK_THROWS_AS(machine_of(d), UnavailableError);
  d.boost_clock.set(Frequency{2e9});
  CHECK(machine_of(d).clock.value() == 2e9);
  CHECK(machine_of(d).dram_read.value() == 1e10);  // dram_peak
}
