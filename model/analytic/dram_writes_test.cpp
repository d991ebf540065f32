#include "model/analytic/dram_writes.hpp"

#include <cmath>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/bounds.hpp"
#include "model/analytic/traffic.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

TEST_CASE("split sectors (A5): the farther apart their halves are written, the longer DRAM takes",
          "[analytic]") {
  Stream output{.tensor = "output", .written = true};
  CHECK(time_with_split_sectors(output, 100, 100) == 1);  // none
  output.split[0] = {1 / 512.0, Bytes{}};                 // one in 512 bytes, at about the same time
  CHECK(time_with_split_sectors(output, 100, 100) == Approx(1 + 90 / 512.0));
  output.split[0].between = Bytes{0.0649e6};  // of each of 100 blocks: midway between 4.33 and 8.65 MB
  CHECK(time_with_split_sectors(output, 100, 100) == Approx(1 + 243.5 / 512));
  output.split[1] = {1 / 1024.0, Bytes{1e9}};  // beyond what was measured
  CHECK(time_with_split_sectors(output, 100, 100) == Approx(1 + 243.5 / 512 + 1150 / 1024.0));

  Stream in_parts{.tensor = "output", .written = true};
  in_parts.line_parts = {2, Bytes{0.0649e6}};  // of each of 100 blocks: midway between 4.33 and 8.65 MB
  CHECK(time_with_split_sectors(in_parts, 100, 100) == Approx(1 + 10.5 / 128));
  in_parts.line_parts = {4, Bytes{4.33e4}};
  CHECK(time_with_split_sectors(in_parts, 100, 100) == Approx(1 + 3 * 20 / 128.0));
  CHECK(time_with_split_sectors(in_parts, 1e6, 1e6) ==
        Approx(1 + 3 * 103 / 128.0));  // beyond what was measured

  output.split[1] = {1 / 512.0, Bytes{}, Bytes{4.33e6}};  // of the whole grid, however many blocks run
  CHECK(time_with_split_sectors(output, 100, 100) == Approx(1 + 443.5 / 512));
  output.split_at_once = 3 / 512.0;
  output.stored_in_row = Bytes{64};  // by stores of a line at most, of two, of four and more
  CHECK(time_with_split_sectors(output, 100, 100) == Approx(1 + (443.5 + 3 * 12) / 512));
  output.stored_in_row = Bytes{256};
  CHECK(time_with_split_sectors(output, 100, 100) == Approx(1 + (443.5 + 3 * 31) / 512));
  output.stored_in_row = Bytes{1024};
  CHECK(time_with_split_sectors(output, 100, 100) == Approx(1 + (443.5 + 3 * 69) / 512));

  auto kernel = round_kernel(10, 1);
  kernel.phases[0].stored = Bytes{1e6};
  output.unique = output.requested = Bytes{1e7};
  kernel.streams = {output};
  const auto device = round_device();
  const auto machine = machine_of(device);
  const auto traffic = traffic_of(kernel, 100, machine, Caches::warm);  // far beyond L2
  REQUIRE(traffic.dram_write);
  // Of ten blocks the halves are 0.649 MB apart.
  const double slower = (1 + (308.03 + 3 * 69) / 512) / dram_write_in_places(10, 1, machine).value() * 1e10;
  CHECK(traffic.dram_write->value() == Approx(1e10 / slower));
  const Wave wave{.count = 1, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};
  CHECK(dram_time(kernel.phases[0], wave, traffic, machine).value() ==
        Approx(traffic.dram_write_share * 1e7 / 1e10 * slower));

  // The fewer there are, the more they cost that are never completed, or late.
  Stream few{.tensor = "output", .written = true};
  few.split[0] = {1 / 4096.0, Bytes{1e9}};
  CHECK(time_with_split_sectors(few, 100, 100) == Approx(1 + 2380 / 4096.0));
  few.split[0] = {1 / 8192.0, Bytes{}, Bytes{17.3e6}};
  CHECK(time_with_split_sectors(few, 100, 100) == Approx(1 + 530 / 8192.0));
  few.split[0] = {0.5 / 2896.309, Bytes{}, Bytes{34.6e6}};  // of two kinds, every 2048 x sqrt(2) bytes
  few.split[1] = {0.5 / 2896.309, Bytes{}};
  CHECK(time_with_split_sectors(few, 100, 100) == Approx(1 + (0.5 * (836 + 922) / 2 + 0.5 * 90) / 2896.309));
  // Late halves of what is evicted first cost less.
  few.split = {SplitSectors{1 / 2048.0, Bytes{}, Bytes{138.4e6}}};
  CHECK(time_with_split_sectors(few, 100, 100) == Approx(1 + 1750 / 2048.0));
  few.evicted_first = true;
  CHECK(time_with_split_sectors(few, 100, 100) == Approx(1 + 1280 / 2048.0));
  // Lines of whole sectors in two parts.
  few.split = {SplitSectors{0, Bytes{}, Bytes{}, 1 / 512.0},
               SplitSectors{0, Bytes{}, Bytes{17.3e6}, 1 / 4096.0}};
  CHECK(time_with_split_sectors(few, 100, 100) == Approx(1 + 30 / 512.0 + 115 / 4096.0));
}

TEST_CASE("split sectors (A5): halves that a tile stores with others between, by what all store meanwhile",
          "[analytic]") {
  Stream output{.tensor = "output", .written = true};
  output.split_in_tile = {1 / 256.0, Bytes{0.0433e6}};
  output.stored_in_row = Bytes{128};
  const auto cost = [&](double storing) { return 256 * (time_with_split_sectors(output, 100, storing) - 1); };
  CHECK(cost(0) == Approx(24));
  CHECK(cost(25) == Approx(24 + (95 - 24) * 1.0825 / 2.16));
  CHECK(cost(100) == Approx(155));  // 4.33 MB
  CHECK(cost(1e6) == Approx(790));  // beyond what was measured
  output.stored_in_row = Bytes{32};
  CHECK(cost(100) == Approx(100));
  output.stored_in_row = Bytes{16};
  CHECK(cost(100) == Approx(100));
  output.stored_in_row = Bytes{1024};
  CHECK(cost(100) == Approx(215));
  output.stored_in_row = Bytes{64 * std::sqrt(2)};
  CHECK(cost(100) == Approx(152.5));

  // Of a kernel as many blocks store as have not to compute, or to wait: the more, the longer DRAM takes.
  auto kernel = round_kernel(1000, 1);
  Phase store;
  store.active_warps = 8;
  store.warp.global_store.sectors = 32 * 16;
  store.stored = Bytes{0.0866e6};
  kernel.phases.push_back(store);
  const auto device = round_device();
  const auto machine = machine_of(device);
  output.stored_in_row = Bytes{128};
  const auto time = [&] { return time_with_split_sectors(output, kernel, 100, 2, machine); };
  const double most = time();
  CHECK(most < time_with_split_sectors(output, 100, 100));
  CHECK(most > time_with_split_sectors(output, 100, 50));
  kernel.phases[0].trips = 1e6;
  CHECK(time() < 1 + 40 / 256.0);
  output.split_in_tile.between = Bytes{};
  CHECK(time() == time_with_split_sectors(output, 100, 0));
}

TEST_CASE("DRAM (A5): in many places at once it takes less than in a row", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const auto rate = [&](double places, double spread = 1) {
    return dram_write_in_places(places, spread, machine) / machine.dram_write;
  };
  CHECK(rate(0) == 1);
  CHECK(rate(1) == 1);
  CHECK(rate(16) == Approx(0.96));
  CHECK(rate(32) == Approx((0.96 + 0.943) / 2));
  CHECK(rate(1024) == Approx(0.929));
  CHECK(rate(1e6) == Approx(0.929));
  CHECK(rate(1024, 0.5) == Approx(1 - 0.071 / 2));
  CHECK(rate(1024, 0) == 1);
}

TEST_CASE("DRAM (A5): how far running blocks are spread over memory", "[analytic]") {
  const auto spread = [](double bytes, double blocks, double running) {
    return spread_of_writes(
        {.tensor = "output", .written = true, .filled_together = Bytes{bytes}, .filling_blocks = blocks},
        running);
  };
  CHECK(spread(0, 1, 100) == 1);  // not known
  CHECK(spread(9e6, 100, 100) == 0);
  CHECK(spread(1e6, 100, 100) == 0);
  CHECK(spread(134e6, 1000, 100) == 1);
  CHECK(spread(500e6, 1000, 100) == 1);
  CHECK(spread(std::sqrt(9e6 * 134e6), 1000, 100) == Approx(0.5));
  // Twice as many blocks as fill an image have two at work.
  CHECK(spread(9e6, 100, 200) == Approx(std::log(2) / std::log(134.0 / 9)));
}

TEST_CASE("DRAM (A5): rows that are written in short pieces", "[analytic]") {
  auto kernel = round_kernel(10, 1);
  kernel.phases[0].stored = Bytes{1e6};
  Stream output{.tensor = "output", .written = true, .unique = Bytes{1e7}, .requested = Bytes{1e7}};
  auto device = round_device();
  device.dram_write_over_piece_and_distance.rows = {32, 128};
  device.dram_write_over_piece_and_distance.columns = {1e6, 5e6};
  device.dram_write_over_piece_and_distance.y = {5e9, 1e9, 8e9, 6e9};
  const auto rate = [&](double piece, double at_once) {
    output.piece = Bytes{piece};
    kernel.streams = {output};
    return traffic_of(kernel, at_once, machine_of(device), Caches::warm).dram_write->value();
  };
  const double stream = dram_write_in_places(10, 1, machine_of(device)).value();
  CHECK(rate(0, 10) == Approx(stream));
  CHECK(rate(256, 10) == Approx(stream));
  CHECK(rate(128, 1) == Approx(8e9));  // one block at work writes 1e6 bytes
  CHECK(rate(128, 3) == Approx(7e9));
  CHECK(rate(128, 100) == Approx(6e9));
  CHECK(rate(64, 1) == Approx(5e9));  // as pieces of 32
  // Blocks whose places lie close together lose nothing of whole lines.
  output.filled_together = Bytes{1e6}, output.filling_blocks = 100;
  CHECK(rate(128, 1) == Approx(1e10));
  CHECK(rate(64, 1) == Approx(5e9));
  output.filled_together = Bytes{};
  output.split[0] = {1 / 512.0, Bytes{1e9}, Bytes{}};  // sectors in halves are slower
  CHECK(rate(128, 1) == Approx(1e10 / (1 + 1150 / 512.0)));
}
