#include <algorithm>
#include <cmath>

#include "model/analytic/traffic.hpp"

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/bounds.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

TEST_CASE("missed (A5): by the part of L2 that a set takes", "[analytic]") {
  const auto device = round_device();  // an L2 of 1e6 bytes
  const auto machine = machine_of(device);
  const auto share = [&](double bytes, double readers) {
    return missed(Bytes{bytes}, readers, machine, Again::in_same_launch);
  };
  CHECK(share(0.48e6, 1) == 0);
  CHECK(share(0.795e6, 1) == Approx((0.54 + 0.78) / 2));
  CHECK(share(4e6, 1) == 1);
  // A launch finds less of what the one before read.
  const auto by_next = [&](double bytes, double readers) {
    return missed(Bytes{bytes}, readers, machine, Again::in_next_launch);
  };
  CHECK(by_next(0.54e6, 1) == 0);
  CHECK(by_next(0.73e6, 1) == Approx((0.31 + 0.64) / 2));
  CHECK(by_next(4e6, 1) == 1);
  CHECK(by_next(0.60e6, 4) == share(0.60e6, 4));
  // Each partition of L2 keeps a copy of what its SMs read.
  CHECK(share(0.60e6, 2) == Approx(0.22));
  CHECK(share(0.60e6, 4) == Approx(0.52));
  CHECK(share(0.60e6, 8) == Approx(0.845 + 0.148 * 28 / 64));  // two by two next to each other, or four apart
  CHECK(share(0.60e6, 100) == share(0.60e6, 8));
  CHECK(share(0.60e6, std::sqrt(8.0)) == Approx((0.22 + 0.52) / 2));
  CHECK(share(0.48e6, 4) == Approx(0.01));
  for (const double readers : {1, 2, 4})
    CHECK(share(0.4e6, readers) == 0);
  CHECK(share(0.38e6, 8) == 0);
}

TEST_CASE("written back (A5): L2 keeps fewer written bytes than read ones, and fewer of lines in parts",
          "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const auto share = [&](const WrittenSet& set, double touched) {
    return written_back(set, Bytes{touched}, machine, Caches::warm);
  };
  const Bytes eight{1e6 * 8 / 60};  // what is written each time in another order
  const auto tiles = [&](double written, double apart) {
    return share({Bytes{written}, Bytes{}, apart, eight}, written);
  };
  CHECK(tiles(0.3e6, 1) == 0);
  CHECK(tiles(0.5293e6, 0) == Approx(0.465));
  CHECK(tiles(0.5293e6, 1) == Approx(0.835));
  CHECK(tiles(0.5293e6, 0.5) == Approx((0.465 + 0.835) / 2));
  CHECK(share({Bytes{0.4833e6}, Bytes{0.046e6}, 0, eight}, 0.4833e6) == Approx(0.465));  // as 0.046e6 more
  CHECK(share({Bytes{0.1e6}, Bytes{}, 0}, 0.89e6) == Approx(0.954));  // what is read takes its place
  CHECK(tiles(1.14e6, 0) == Approx(1));                               // as of what is read
  CHECK(written_back({Bytes{1}, Bytes{}, 0}, Bytes{1}, machine, Caches::cold) == 1);
}

TEST_CASE("written back (A5): the more of a set comes each time in another order, the more L2 has kept of it",
          "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const auto share = [&](double reordered, double apart) {
    return written_back({Bytes{0.5293e6}, Bytes{}, apart, Bytes{1e6 * reordered / 60}}, Bytes{0.5293e6},
                        machine, Caches::warm);
  };
  CHECK(share(0, 0) == Approx(0.688));
  CHECK(share(1, 0) == Approx(0.688));
  CHECK(share(4, 0) == Approx(0.508));
  CHECK(share(std::sqrt(32.0), 0) == Approx((0.508 + 0.465) / 2));
  CHECK(share(50, 0) == Approx(0.465));
  CHECK(share(4, 1) == Approx(0.940));
}

TEST_CASE("written back (A5): what running blocks store between two barriers comes in another order",
          "[analytic]") {
  const auto device = round_device();  // ten SMs
  std::vector<CorePace> paces;
  const auto share = [&](double blocks, double at_once, std::int64_t trips, PhaseRole role) {
    auto k = round_kernel(static_cast<std::int64_t>(blocks), trips);
    k.core_paces = paces;
    k.phases[0].role = role;
    k.phases[0].stored = Bytes{0.5293e6 / blocks / static_cast<double>(trips)};
    k.streams = {{"output", true, Bytes{0.5293e6}, Bytes{0.5293e6}}};
    return traffic_of(k, at_once, machine_of(device), Caches::warm).dram_write_share;
  };
  CHECK(share(10, 10, 20, PhaseRole::steady) == Approx(0.688));  // less than a sixtieth of L2
  CHECK(share(10, 10, 5, PhaseRole::steady) < 0.6);
  // At most as far as SMs part: 0.208 of all. Those that do not share L2's rate do not part.
  CHECK(share(10, 10, 1, PhaseRole::steady) == Approx(0.477).margin(0.001));
  CHECK(share(8, 10, 1, PhaseRole::steady) == Approx(0.688));
  // Tiles at blocks' ends: 0.6 of those that run at once, of four an SM half of that.
  const double sixtieths = 60 * 0.5293;
  CHECK(share(sixtieths * 10 * 0.6, 10, 1, PhaseRole::epilogue) == Approx(0.688).margin(0.01));
  CHECK(share(sixtieths * 40 * 0.3 / 4, 40, 1, PhaseRole::epilogue) == Approx(0.508).margin(0.01));
  CHECK(share(100, 90, 1, PhaseRole::epilogue) == Approx(0.486).margin(0.001));  // 5.7 sixtieths
  // Four waves of 7.94: 0.3 of that; where all end together the mean of 1, 0.71, 0.58, 0.5, 5.5; half as much
  // where they end 375 cycles apart and evenly would be 750.
  CHECK(share(160, 40, 1, PhaseRole::epilogue) == Approx(0.604).margin(0.001));
  paces = {{1, 500, 500, 0}, {4, 1000, 1000, 0}};
  CHECK(share(160, 40, 1, PhaseRole::epilogue) == Approx(0.488).margin(0.001));
  paces = {{1, 500, 500, 0}, {4, 1000, 1000, 375}};
  CHECK(share(160, 40, 1, PhaseRole::epilogue) == Approx(0.577).margin(0.001));
}

TEST_CASE("traffic (A5): blocks whose windows overlap read the same at the same time", "[analytic]") {
  const auto device = round_device();
  // One wave, not on all of the ten SMs.
  const auto missing = [&](std::string_view tensor, double asked, std::int64_t blocks) {
    auto k = round_kernel(blocks, 1);
    k.phases[0].fetched = Bytes{1e4};
    k.streams = {{tensor, false, Bytes{0.6e6}, Bytes{asked}}};
    const auto t = traffic_of(k, static_cast<double>(blocks), machine_of(device), Caches::warm);
    return t.dram_read_share * asked / 0.6e6;
  };
  const double alone = missing("input", 0.6e6, 8);
  CHECK(missing("input", 1.2e6, 8) == Approx(0.22));
  CHECK(missing("input", 2.4e6, 8) == Approx(0.52));
  CHECK(missing("input", 2.4e6, 2) == Approx(0.22));
  CHECK(missing("input", 2.4e6, 1) == Approx(alone));
  // Of filters a block asks for some sectors twice, nobody else does.
  CHECK(missing("filters", 2.4e6, 8) == Approx(alone));
}

TEST_CASE("traffic (A5): blocks of one wave on all SMs find what the same SMs have read", "[analytic]") {
  const auto device = round_device();  // ten SMs, an L2 of 1e6 bytes
  const auto missing = [&](std::int64_t blocks, double walks) {
    auto k = round_kernel(blocks, 1);
    k.phases[0].fetched = Bytes{1e4};
    k.streams = {{.tensor = "filters",
                  .unique = Bytes{0.735e6},
                  .requested = Bytes{2.94e6},
                  .walks = walks,
                  .blocks_of_walk = static_cast<double>(blocks) / walks,
                  .touched_in_walk = Bytes{0.735e6},
                  .readers = walks > 1 ? 1.0 : 4.0}};
    return 4 * traffic_of(k, 10, machine_of(device), Caches::warm).dram_read_share;
  };
  // 0.07 at 0.70 and 0.29 at 0.76, however many neighbours read it; those of other walks are elsewhere.
  CHECK(missing(10, 1) == Approx(0.07 + 0.22 * 35 / 60));
  CHECK(missing(8, 1) == Approx(0.97 + 0.03 * 35 / 60));
  CHECK(missing(10, 2) == Approx(0.97 + 0.03 * 35 / 60));
  // Of the room of what is written it takes what 1.25 copies would: (0.75 - 0.9 * 0.3 / 0.65) * 0.35e6, which
  // are 0.1171e6; with 1.5 copies 0.17e6.
  auto k = round_kernel(10, 20);
  k.phases[0].stored = Bytes{1e3};
  k.streams = {{.tensor = "input", .unique = Bytes{0.35e6}, .requested = Bytes{0.35e6}},
               {.tensor = "output", .written = true, .unique = Bytes{0.3e6}, .requested = Bytes{0.3e6}}};
  CHECK(traffic_of(k, 10, machine_of(device), Caches::warm).dram_write_share ==
        Approx(0.042 + 0.061 * (0.4171 - 0.4132) / 0.0318).margin(1e-4));
}

TEST_CASE("missed (A5): tiled products on the same SMs find what they had read, up to 0.55 of L2",
          "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const auto share = [&](double of_l2) {
    return missed(Bytes{of_l2 * 1e6}, 1, machine, Again::by_same_tiles);
  };
  CHECK(share(0.55) == 0);
  CHECK(share(0.672) == Approx(0.19));
  CHECK(share(0.74) == Approx((0.35 + 0.69) / 2));
  CHECK(share(1.02) == 1);
}

TEST_CASE("traffic (A5, A15, S6): blocks alone on their SMs that read the same all wait for DRAM",
          "[analytic]") {
  const auto device = round_device();
  auto kernel = round_kernel(1, 1);
  const auto machine = machine_of(device);
  kernel.stored_strip = StoredStrip{32, 128};
  const double blocks = machine.sms - 1;
  kernel.launch.blocks = static_cast<std::int64_t>(blocks);
  // All blocks read all filters, pairs of them a part of the input each; L2 keeps nothing of 4 MB.
  kernel.streams = {{.tensor = "input", .unique = Bytes{4e6}, .requested = Bytes{8e6}, .readers = 2},
                    {.tensor = "filters",
                     .unique = Bytes{1e6},
                     .requested = Bytes{blocks * 1e6},
                     .walks = blocks,
                     .blocks_of_walk = 1,
                     .touched_in_walk = Bytes{5e6}}};
  const auto at_once = traffic_of(kernel, machine.sms, machine, Caches::warm);
  const auto& [input, filters] = at_once.first_reads;
  CHECK(input.sharers == 2);
  CHECK(filters.sharers == Approx(blocks));
  CHECK(input.missed == 1);
  CHECK(filters.missed == 1);
  CHECK(input.asked.value() == Approx(8e6));
  CHECK(filters.asked.value() == Approx(blocks * 1e6));
  CHECK(input.from_dram.value() == Approx(4e6));
  CHECK(filters.from_dram.value() == Approx(1e6));
  // Nearly all of it waits for half of DRAM's time at least, though DRAM sends less.
  CHECK(waiting_share(at_once) > 0.5);
  CHECK(at_once.dram_read_share == Approx(5e6 / (8e6 + blocks * 1e6)));
  SECTION("those that run one after the other do not") {
    const auto later = traffic_of(kernel, blocks / 3, machine, Caches::warm);
    CHECK(later.first_reads[0].sharers == 1);
    CHECK(waiting_share(later) == Approx(later.dram_read_share));
  }
  SECTION("nor do blocks of other kernels") {
    kernel.stored_strip.reset();
    const auto other = traffic_of(kernel, machine.sms, machine, Caches::warm);
    CHECK(other.first_reads[1].sharers == 1);
    CHECK(waiting_share(other) == Approx(other.dram_read_share));
  }
}

TEST_CASE("missed (A5): in another order some lines come sooner than in the walk before, some later",
          "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const auto share = [&](double bytes, double part) {
    return missed_in_another_order(Bytes{bytes}, part, 1, machine, Again::in_next_launch);
  };
  CHECK(share(0.48e6, 0) == 0);
  // Half of it in another order: two of eight lie 0.573e6 and 0.635e6 behind.
  CHECK(share(0.48e6, 0.5) == Approx((0.09 + 0.03 * 3.12 / 70 + 0.09 + 0.03 * 65.04 / 70) / 8).epsilon(1e-6));
  CHECK(share(0.73e6, 0.01) == Approx((0.31 + 0.64) / 2));  // as many as sooner, along a straight line
  // A kernel of four waves: 0.6 of the running blocks, 0.15 of all, come in any order.
  auto k = round_kernel(40, 1);
  k.phases[0].fetched = Bytes{1e4};
  k.streams = {{"input", false, Bytes{0.72e6}, Bytes{0.72e6}}};
  CHECK(traffic_of(k, 10, machine, Caches::warm).dram_read_share == Approx(share(0.72e6, 0.15)));
}

TEST_CASE("traffic (A5): spilled registers take room of what is read and written", "[analytic]") {
  const auto device = round_device();  // ten SMs of four schedulers
  auto k = round_kernel(10, 20);
  k.launch.threads = 96;  // three warps, and in time a place of each scheduler
  const double spilled = 10 * 4 * 32 * 100;
  const auto traffic = [&](double of_a_thread, const Stream& stream) {
    k.local_memory = Bytes{of_a_thread};
    k.streams = {stream};
    return traffic_of(k, 10, machine_of(device), Caches::warm);
  };
  k.phases[0].stored = k.phases[0].fetched = Bytes{1e3};
  const Bytes written{0.5293e6 - 1.75 * spilled}, read{0.735e6 - spilled};
  const Stream output{.tensor = "output", .written = true, .unique = written, .requested = written},
      input{.tensor = "input", .unique = read, .requested = read};
  CHECK(traffic(100, output).dram_write_share == Approx(0.688));
  CHECK(traffic(0, output).dram_write_share == 0);
  CHECK(traffic(100, input).dram_read_share == Approx(0.07 + 0.22 * 35 / 60));
  CHECK(traffic(0, input).dram_read_share == Approx(0.02 * (0.607 - 0.57) / 0.07));
}

TEST_CASE(
    "traffic (A5): the last wave reads what is left of its walks, behind all that the one before touched",
    "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(240, 1);
  k.phases[0].fetched = Bytes{1e4};
  // Three walks of 80 blocks over half of L2, each with other data beside it.
  k.streams = {{"input", false, Bytes{2e6}, Bytes{6e6}, 3, 80, Bytes{2.1e6}}};
  const auto times = [&](double at_once) {
    return traffic_of(k, at_once, machine_of(device), Caches::warm).dram_read_share * 3;
  };
  CHECK(times(80) == Approx(3));
  CHECK(times(132) == Approx(2).epsilon(0.02));    // 108 blocks: all of it once more
  CHECK(times(200) == Approx(1.5).epsilon(0.03));  // 40
  CHECK(times(240) == Approx(1));
  k.streams[0].unique = Bytes{0.4e6};
  k.streams[0].requested = Bytes{1.2e6};
  k.streams[0].touched_in_walk = Bytes{0.5e6};
  CHECK(times(80) < 0.1);
  CHECK(times(160) > times(80));  // 0.6e6 lie between
}

TEST_CASE("traffic (A5): readers that are apart in the grid need twice the copies, written lines 1.5",
          "[analytic]") {
  const auto device = round_device();  // an L2 of 1e6 bytes
  auto k = round_kernel(400, 1);
  const auto read = [&](double written) {
    k.streams = {
        {.tensor = "input",
         .unique = Bytes{0.5e6},
         .requested = Bytes{2e6},
         .walks = 4,
         .blocks_of_walk = 100,
         .touched_in_walk = Bytes{0.5e6}},
        {.tensor = "output", .written = true, .unique = Bytes{written}, .requested = Bytes{written}}};
    return 4 * traffic_of(k, 400, machine_of(device), Caches::warm).dram_read_share;
  };
  CHECK(read(0) == Approx(0.002 + 0.248 * 55 / 64));  // four walks at once, as eight neighbours
  // 2 - 1/16 copies of what four read apart: 0.0517e6 written take as much room as 0.04e6 of it.
  CHECK(read(0.0517e6) == Approx(0.543).epsilon(0.01));
}

TEST_CASE("traffic (A5): exact bytes of the grid, first touches alone reach DRAM", "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(10, 4);
  k.phases[0].fetched = Bytes{100000};  // 10 x 4 x 100,000 = 4e6 asked if every block did the same
  k.phases[0].stored = Bytes{50000};
  k.streams = {{"input", false, Bytes{1.5e6}, Bytes{3e6}}, {"output", true, Bytes{0.5e6}, Bytes{2e6}}};
  const auto t = traffic_of(k, 10, machine_of(device), Caches::warm);
  CHECK(t.l2_read_share == 0.75);
  CHECK(t.l2_write_share == 1);
  CHECK(t.dram_read_share == 0.5);  // all of 2e6 bytes misses; 1.5 of 3 MB are first touches
  CHECK(t.dram_write_share == 0.25);
}

TEST_CASE("traffic (A4): what neighbours in the grid read at the same time is served together",
          "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(10, 1);
  k.streams = {{.tensor = "input", .unique = Bytes{1e5}, .requested = Bytes{3e5}, .neighbours = 11},
               {.tensor = "filters", .unique = Bytes{1e5}, .requested = Bytes{1e5}}};
  const auto together = [&](double at_once) {
    return traffic_of(k, at_once, machine_of(device), Caches::warm).read_together;
  };
  CHECK(together(1) == 1);
  CHECK(together(100) == Approx(4 / (3 / 8.0 + 1)));  // 1 + 0.7 x 10 of the input's requests are one
  CHECK(together(6) == Approx(4 / (3 / 4.5 + 1)));    // no more than run
}

TEST_CASE("traffic (A5): a tensor beyond L2 is read again by each walk of the blocks", "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(400, 1);
  k.phases[0].fetched = Bytes{40000};
  // Four walks of 100 blocks over 2 MB, of which L2 keeps nothing; the filters are never walked again.
  k.streams = {{"input", false, Bytes{2e6}, Bytes{15e6}, 4, 100, Bytes{2.1e6}},
               {"filters", false, Bytes{0.5e6}, Bytes{1e6}}};
  const auto machine = machine_of(device);
  const auto share = [&](double at_once) {
    return traffic_of(k, at_once, machine, Caches::warm).dram_read_share;
  };
  CHECK(share(20) == Approx((4 * 2e6 + 0.5e6) / 16e6));
  // Blocks of two walks run together, in a second wave a quarter of 2.1 MB apart, of which 0.04 are lost.
  CHECK(share(200) == Approx((2 * 2e6 + 2 * 0.02 * 2e6 + 0.5e6) / 16e6));
  CHECK(share(1000) == Approx((1 * 2e6 + 0.5e6) / 16e6));  // of all four
  k.streams[0].touched_in_walk = Bytes{0.45e6};            // what a walk touches stays in L2
  CHECK(share(20) == Approx(0.5e6 / 16e6));                // from the launch before on
  CHECK(traffic_of(k, 20, machine, Caches::cold).dram_read_share == Approx((2e6 + 0.5e6) / 16e6));
  // The last wave walks 0.8 of it again: the rest is as old as the launch.
  CHECK(share(320) == Approx((0.2 * 2e6 + 0.5e6) / 16e6).epsilon(0.08));
  k.streams[0].blocks_of_walk = 50;  // the walks of a half, the other half later
  CHECK(share(10) == Approx((2e6 + 0.5e6) / 16e6));
}

TEST_CASE("traffic (A5): blocks of the same wave share what they read as long as they are in step",
          "[analytic]") {
  const auto device = round_device();  // ten SMs of four schedulers, an L2 of 1e6 bytes
  auto k = round_kernel(4000, 1);      // of eight warps
  k.phases[0].fetched = Bytes{4e4};
  // 40 walks of 100 blocks over 4 MB: at least four times from DRAM if ten run at once.
  k.streams = {{"filters", false, Bytes{4e6}, Bytes{160e6}, 40, 100, Bytes{4e6}}};
  const auto machine = machine_of(device);
  const auto times = [&](double at_once) {
    return traffic_of(k, at_once, machine, Caches::warm).dram_read_share * 160e6 / 4e6;
  };
  CHECK(times(1000) == Approx(4 + 36 * (0.9886 + 2) / 4).epsilon(1e-4));  // of four waves the first shares
  // 400 walks of ten blocks over as much as L2 has.
  k.launch = {.blocks = 4000, .threads = 32, .registers = 32};
  k.streams = {{"filters", false, Bytes{1.02e6}, Bytes{1e9}, 400, 10, Bytes{1.02e6}}};
  const auto of_small = [&](double at_once) {
    return traffic_of(k, at_once, machine, Caches::warm).dram_read_share * 1e9 / 1.02e6;
  };
  CHECK(of_small(10) == Approx(400));        // one walk after the other
  CHECK(of_small(40) == Approx(100));        // four at once, a warp on each scheduler
  CHECK(of_small(80) == Approx(50));         // two
  CHECK(of_small(70) > 57 + 0.5 * 343);      // two on some of them
  CHECK(of_small(120) > 33.3 + 0.5 * 366);   // three: the older ones go first
  CHECK(of_small(1200) < 3.33 + 0.1 * 397);  // few waves, in which they are not yet far apart
  k.launch.cluster = 2;
  CHECK(of_small(40) > 100 + 0.5 * 300);
  k.streams[0].blocks_of_walk = 1;  // 4000 walks
  k.streams[0].walks = 4000;
  k.streams[0].requested = Bytes{1e10};
  CHECK(10 * of_small(10) == Approx(400));  // one block an SM
}

TEST_CASE("DRAM (A5): short pieces of rows are read more slowly, 64 bytes as slowly as a line",
          "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(10, 1);
  k.phases[0].fetched = Bytes{3e6};
  const auto machine = machine_of(device);
  const auto busy = [&](double piece) {
    k.streams = {{"input", false, Bytes{1e7}, Bytes{1e7}}, {"filters", false, Bytes{2e7}, Bytes{2e7}}};
    k.streams[1].read_piece = Bytes{piece};
    const auto traffic = traffic_of(k, 10, machine, Caches::warm);
    const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};
    return dram_busy(k.phases[0], wave, traffic, machine).all / (Bytes{1e7} / machine.dram_read);
  };
  CHECK(busy(0) == Approx(3));
  CHECK(busy(256) == Approx(3));
  CHECK(busy(128) == Approx(1 + 2 * 1.08));
  CHECK(busy(64) == Approx(1 + 2 * 1.95));
  CHECK(busy(96) == Approx(1 + 2 * 1.95));
  CHECK(busy(32) == Approx(1 + 2 * 2.35));
}

TEST_CASE("traffic (A5): what is written to be evicted first takes no room from what is read", "[analytic]") {
  const auto device = round_device();
  auto k = round_kernel(10, 1);
  k.phases[0].fetched = Bytes{1e4};
  k.phases[0].stored = Bytes{1e5};
  k.streams = {{"input", false, Bytes{1e5}, Bytes{1e5}}, {"output", true, Bytes{1.1e6}, Bytes{1.1e6}}};
  CHECK(traffic_of(k, 10, machine_of(device), Caches::warm).dram_read_share == 1);
  k.streams[1].evicted_first = true;
  const auto t = traffic_of(k, 10, machine_of(device), Caches::warm);
  CHECK(t.dram_read_share == 0);
  CHECK(t.dram_write_share == Approx(0.98).margin(0.001));
}

TEST_CASE("L2's own rate (A4): the curve of writes up to half of its size", "[analytic]") {
  auto device = round_device();  // an L2 of 1e6 bytes
  device.l2_write_over_footprint = {.x = {0.25e6, 0.5e6, 1e6, 2e6}, .y = {4e12, 5e12, 4.5e12, 4e12}};
  auto kernel = round_kernel(10, 1);
  const auto rate = [&](double bytes) {
    kernel.streams = {{"output", true, Bytes{bytes}, Bytes{bytes}}};
    return traffic_of(kernel, 10, machine_of(device), Caches::warm).l2_write->value();
  };
  CHECK(rate(0.25e6) == Approx(4e12));
  CHECK(rate(0.5e6) == Approx(5e12));
  CHECK(rate(2e6) == Approx(5e12));  // beyond, it is DRAM's
}

TEST_CASE("later hits (S6): a partition of L2 that has no room for what its SMs read asks the other one",
          "[analytic]") {
  auto d = round_device();
  d.l2_effective.set(Bytes{4e6});
  d.latency_over_footprint = {.x = {1e4, 2e6, 3e6, 4e6, 8e6}, .y = {200, 200, 400, 450, 900}};
  const auto later = [&](double unique, double requested) {
    auto k = round_kernel(10, 1);
    k.streams = {{"filters", false, Bytes{unique}, Bytes{requested}},
                 {"output", true, Bytes{1e9}, Bytes{1e9}}};  // what is written takes no room
    return traffic_of(k, 10, machine_of(d), Caches::warm).later_hits.value();
  };
  // Lines that one SM reads: half of them belong to the other partition, so each keeps three quarters.
  CHECK(later(2e6, 2e6) == 0);
  CHECK(later(4e6, 4e6) == Approx(200));
  CHECK(later(4e6, 8e6) == Approx(100));    // the second time they are there
  CHECK(later(40e6, 40e6) == Approx(250));  // beyond L2 it is DRAM that answers
  d.latency_over_footprint = {};
  CHECK(later(4e6, 4e6) == 0);
}

TEST_CASE("slowest lines (A15): L2 answers from the SM's own partition while both have room", "[analytic]") {
  auto d = round_device();
  const auto kernel = [](double bytes) {
    auto k = round_kernel(10, 1);
    k.streams = {{"input", false, Bytes{bytes}, Bytes{bytes}}};
    return k;
  };
  const auto latency = [&](double bytes) {
    return traffic_of(kernel(bytes), 10, machine_of(d), Caches::warm).slow_hit.value().value();
  };
  d.l2_far_latency.set(Cycles{260});
  CHECK(latency(1e6) == 260);  // not known: sure to be far
  d.latency_over_footprint = {.x = {1e4, 1e5, 1e6, 2e6}, .y = {30, 200, 200, 400}};
  CHECK(latency(1e4) == 200);
  CHECK(latency(1e6) == 200);
  CHECK(latency(1e6 * std::pow(2, 0.25)) == Approx(250));  // by the logarithm of the bytes
  CHECK(latency(2e6) == 260);
  d.l2_latency_over_load = {.x = {1, 2}, .y = {200, 300}};
  d.l2_latency_p90_over_load = {.x = {1, 2}, .y = {220, 500}};
  CHECK(latency(1e6) == 220);
}

TEST_CASE("traffic (A21): what an SM's other blocks have asked for is not asked of L2", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const double blocks = 100 * machine.sms;
  auto k = round_kernel(static_cast<std::int64_t>(blocks), 1);
  k.launch.cluster = 2;
  k.phases[0].fetched = Bytes{4000};
  k.streams = {{.tensor = "filters", .unique = Bytes{4e6}, .requested = Bytes{blocks * 4000}}};
  const auto alone = traffic_of(k, 2 * machine.sms, machine, Caches::warm);
  CHECK(alone.asked_read.value() == Approx(blocks * 4000));
  k.streams[0].l1_lines = 32;
  k.streams[0].same_elsewhere = 1;
  const auto shared = traffic_of(k, 2 * machine.sms, machine, Caches::warm);
  CHECK(shared.asked_read.value() == Approx(blocks * 2000));
  CHECK(shared.l2_read_share == Approx(alone.l2_read_share / 2));
  // DRAM sends as much as before.
  CHECK(shared.dram_read_share == Approx(std::min(1.0, 2 * alone.dram_read_share)));
}
