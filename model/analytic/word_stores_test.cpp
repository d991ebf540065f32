#include "model/analytic/word_stores.hpp"

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/bounds.hpp"
#include "model/device/stand_ins.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

// Eight warps of 4 x 8 lanes store 8 x 4 words a thread, rows that begin anywhere: of each of 32 stores 18
// sectors and 7.5 lines, where all of them fill 128 sectors.
KernelDescription tiles() {
  auto kernel = round_kernel(1000, 1);
  kernel.register_tile = RegisterTile{8, 4};
  Phase store;
  store.role = PhaseRole::epilogue;
  store.active_warps = 8;
  store.warp.global_store.w32 = 32;
  store.warp.global_store.sectors = 32 * 18;
  store.warp.global_store.masks = 32 * 7.5;
  store.stored = Bytes{8.0 * 128 * 32};
  kernel.phases.push_back(store);
  return kernel;
}

constexpr double at_once = 10;  // blocks, on 10 SMs

}  // namespace

TEST_CASE("word stores (A4): beyond L2 a packet takes longer the more warps store at the same time",
          "[analytic]") {
  const auto device = round_device();  // an L2 of 1e6 bytes
  const auto machine = machine_of(device);
  auto kernel = tiles();
  const auto cycles = [&](double blocks) {
    return 1.667 * word_stores(kernel, blocks * at_once, Bytes{2e6}, machine).packet;
  };
  // One block an SM, which computes for a short while: nearly eight warps.
  CHECK(cycles(1) == Approx(1.735).epsilon(0.003));
  // Two: of ten shared loads each half are in front of the pipe with the other block's stores, 32 / 37 of 16.
  CHECK(cycles(2) == Approx(1.74 + (1.98 - 1.74) * 0.77).epsilon(0.01));
  // Many shared loads, or a long computation: few warps store.
  kernel.phases[0].trips = 1000;
  CHECK(cycles(1) == Approx(1.63));
  CHECK(cycles(2) == Approx(1.63));
  // Larger tiles of a thread have more lines open.
  kernel = tiles();
  kernel.register_tile = RegisterTile{16, 8};
  CHECK(cycles(1) > 2.6);
}

TEST_CASE("word stores (A4): beyond L2 many filters and short strips take longer", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  auto kernel = tiles();
  const auto cycles = [&](double pixels, double filters) {
    kernel.stored_strip = StoredStrip{pixels, filters};
    return word_stores(kernel, at_once, Bytes{2e6}, machine).packet;
  };
  const double of_table = cycles(64, 168);
  CHECK(cycles(64, 1024) / of_table == Approx(1.063).epsilon(0.001));
  CHECK(cycles(64, 5000) == Approx(cycles(64, 1024)));
  CHECK(cycles(64, 64) / of_table == Approx(0.968).epsilon(0.001));
  CHECK(cycles(256, 168) == Approx(of_table));
  CHECK(cycles(32, 168) / of_table == Approx(1.09));
}

TEST_CASE("word stores (A4): of what L2 holds sectors that are stored to again take longer", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  auto kernel = tiles();
  const auto words = [&](double touched) { return word_stores(kernel, at_once, Bytes{touched}, machine); };
  CHECK(words(0.8e6).beyond == 0);
  CHECK(words(1.0e6).beyond == Approx(0.5));
  CHECK(words(1.2e6).beyond == Approx(1));
  const double held = 1 + 0.75 * stand_in::stored_again_cost;
  CHECK(packet_cost(0.75, words(0.5e6)) == Approx(held));
  CHECK(packet_cost(0.75, words(2e6)) == words(2e6).packet);
  CHECK(packet_cost(0.75, words(1e6)) == Approx((held + words(1e6).packet) / 2));
  // The l2 bound has it.
  const Wave wave{.count = 10, .blocks_per_sm = 1, .active_sms = 10, .blocks = 10};
  Traffic traffic;
  const auto time = [&] { return l2_write_time(kernel.phases.back(), wave, traffic, machine).value(); };
  const double in_l2 = time();
  traffic.words = words(2e6);
  CHECK(time() == Approx(in_l2 * words(2e6).packet / packet_cost(1 - 32 / (4.5 * 32), {})));
  // Four words at once are whole sectors.
  kernel.phases.back().warp.global_store.sectors = 128;
  CHECK(words(2e6).beyond == 0);
  kernel = tiles();
  kernel.register_tile.reset();
  CHECK(words(2e6).beyond == 0);
}
