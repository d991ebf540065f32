#include "model/analytic/word_stores.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/analytic/storing.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

// A4. SM cycles a packet, with all 132 SMs of an H200 storing tiles whose rows begin anywhere
// (experiments/tile_footprints.csv). `within`: sets that L2 holds. `beyond`: larger ones, with 4, 8 and 16
// warps of an SM storing at once (means of one image of 134 MB and of many of 134, 257 and 512 MB).
// `of_stream`: a whole sector of a stream. `packets`: per 32 bytes of the tile, with eight or four lanes side
// by side.
constexpr double within = 1.73, of_stream = 1.667, eight_lanes = 6.375, four_lanes = 7.75;
constexpr double fewest_warps = 4, most_warps = 16;
struct TileCost {
  double filters, pixels, packets;
  std::array<double, 3> beyond;
};
constexpr std::array tile_costs{
    TileCost{4, 4, eight_lanes, {1.63, 1.70, 1.77}},  TileCost{4, 8, four_lanes, {1.77, 1.84, 2.26}},
    TileCost{4, 16, four_lanes, {1.85, 2.20, 2.92}},  TileCost{8, 4, eight_lanes, {1.63, 1.74, 1.98}},
    TileCost{8, 8, eight_lanes, {1.85, 2.20, 2.63}},  TileCost{8, 16, four_lanes, {2.22, 2.91, 3.10}},
    TileCost{16, 4, eight_lanes, {1.68, 1.99, 2.31}}, TileCost{16, 8, eight_lanes, {2.24, 2.68, 2.69}}};

// Touched bytes over L2's size: up to `held` packets cost as within L2, from `full` on as beyond it.
constexpr double held = 0.8, full = 1.2;

const TileCost& cost_of(const RegisterTile& tile) {
  const auto distance = [&](const TileCost& c) {
    return std::abs(std::log(c.filters / tile.filters)) + std::abs(std::log(c.pixels / tile.pixels));
  };
  return *std::min_element(tile_costs.begin(), tile_costs.end(),
                           [&](const TileCost& a, const TileCost& b) { return distance(a) < distance(b); });
}

// Further SM cycles per 32 bytes of a tile beyond L2, with `warps` storing at once.
double longer_beyond(const TileCost& cost, double warps) {
  const double at = std::log2(std::clamp(warps, fewest_warps, most_warps) / fewest_warps);
  const auto low = static_cast<std::size_t>(std::min(at, 1.0));
  const double share = at - static_cast<double>(low);
  const double beyond = cost.beyond[low] + share * (cost.beyond[low + 1] - cost.beyond[low]);
  return (beyond - within) * cost.packets;
}

// A4. Of a packet beyond L2, by how many filters the output has (the table's: 168), and of strips of 32
// pixels, which are shorter than the table's (64 and more). H200, experiments/tile_rows.csv.
double longer_of(const StoredStrip& strip) {
  constexpr double of_table = 168, fewest = 64, most = 1024, growth = 0.034;
  constexpr double short_strip = 32, longer = 1.09;
  return std::pow(std::clamp(strip.filters, fewest, most) / of_table, growth) *
         (strip.pixels <= short_strip ? longer : 1);
}

// A warp's instructions for the SM's memory pipe other than its stores of the tile.
double memory_instructions(const KernelDescription& kernel) {
  double sum = 0;
  for (const auto& p : kernel.phases) {
    const WarpCounts& w = p.warp;
    sum += p.trips * (w.shared_load.instructions() + w.shared_store.instructions() +
                      w.global_load.instructions() + w.async_copy.instructions());
  }
  return sum;
}

// Warps of an SM that store at the same time. A block alone stores when it has computed. With several, those
// that compute wait at the memory pipe behind those that store: the pipe takes one instruction of each in
// turn, whatever it is.
double storing_warps(const KernelDescription& kernel, const Machine& machine, double blocks,
                     double store_cycles) {
  const Phase& last = kernel.phases.back();
  const double before = cycles_before_stores(kernel, machine);
  const double turn = std::max(blocks * store_cycles, store_cycles + before);
  const double stores = last.warp.global_store.instructions();
  const double others = memory_instructions(kernel) * (blocks - 1) / blocks;
  return blocks * last.active_warps * (1 - before / turn) * stores / (stores + others);
}

}  // namespace

WordStores word_stores(const KernelDescription& kernel, double at_once, Bytes touched,
                       const Machine& machine) {
  const auto& l2 = machine.profile->l2_size;
  if (!kernel.register_tile || !l2.present() || kernel.phases.empty() || !machine.l2_write) return {};
  const Phase& last = kernel.phases.back();
  const auto& store = last.warp.global_store;
  const double sectors = last.active_warps * store.sectors, distinct = last.stored.value() / sector_bytes;
  // Word by word means that a sector is stored to at least three times.
  if (distinct <= 0 || !store.masks || sectors < 3 * distinct) return {};
  WordStores words{.beyond = std::clamp((touched / l2.get() - held) / (full - held), 0.0, 1.0)};
  if (words.beyond <= 0) return {};
  const double packets = (sectors + last.active_warps * *store.masks) / distinct;
  const double blocks = std::max(1.0, at_once / machine.sms);
  const double warps = storing_warps(kernel, machine, blocks, within * packets * distinct);
  double cycles = within + longer_beyond(cost_of(*kernel.register_tile), warps) / packets;
  if (kernel.stored_strip) cycles *= longer_of(*kernel.stored_strip);
  words.packet = cycles / of_stream;
  return words;
}

double packet_cost(double again, const WordStores& words) {
  return (1 - words.beyond) * (1 + stand_in::stored_again_cost * again) + words.beyond * words.packet;
}

}  // namespace tilecast::analytic
