#include "kernels/chang_single/block_work.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/chang_single/code_costs.hpp"
#include "kernels/chang_single/warp_access.hpp"

namespace tilecast::chang_single {
namespace {

void add(SharedAccess& to, const SharedAccess& from, double times) {
  to.w32 += times * from.w32;
  to.w64 += times * from.w64;
  to.w128 += times * from.w128;
  to.wavefronts += times * from.wavefronts;
}
void add(GlobalAccess& to, const GlobalAccess& from, double times) {
  to.w32 += times * from.w32;
  to.w64 += times * from.w64;
  to.w128 += times * from.w128;
  to.sectors += times * from.sectors;
}
template <class Access>
double& of_width(Access& access, std::int64_t words) {
  return words == 4 ? access.w128 : words == 2 ? access.w64 : access.w32;
}

// Asynchronous copies of one request: 16 bytes of the map and 4 bytes of the filters a lane.
BlockWork async_work(const Division& d, std::int64_t map, std::int64_t filter_weights) {
  const double map_instructions = as_double(parts(map / 4, 32));
  const double filter_instructions = as_double(parts(filter_weights, 32));
  BlockWork work;
  work.warps.async_copy = {.w32 = filter_instructions,
                           .w128 = map_instructions,
                           .sectors = as_double(parts(map, 8) + parts(filter_weights, 8))};
  const double warps = as_double(d.threads / 32);
  work.warps.integer = cost::map_copy_integer * map_instructions +
                       cost::filter_copy_integer(d) * filter_instructions + cost::request_integer * warps;
  work.warps.control =
      cost::copy_control * (map_instructions + filter_instructions) + cost::request_control * warps;
  work.fetched = 32 * work.warps.async_copy.sectors;
  return work;
}

// Loads through registers of one request.
BlockWork volume_work(const Division& d, std::int64_t map, std::int64_t filter_weights) {
  const std::int64_t width = d.load_bytes / 4;
  const std::int64_t map_loads = map / width, filter_loads = parts(filter_weights, 4) * 4 / width;
  const std::int64_t loads = map_loads + filter_loads;
  const double instructions = as_double(parts(loads, 32));
  BlockWork work;
  of_width(work.warps.global_load, width) = instructions;
  work.warps.global_load.sectors = as_double(parts(map, 8) + parts(filter_weights, 8));

  const double map_stores = as_double(parts(map_loads, 32)),
               filter_stores = as_double(parts(filter_loads, 32));
  std::array<int, 32> words{};
  for (int lane = 0; lane < 32; ++lane)
    words[static_cast<std::size_t>(lane)] = filter_word(lane * static_cast<int>(width), d.k);
  of_width(work.warps.shared_store, width) += map_stores;
  work.warps.shared_store.w32 += as_double(width) * filter_stores;
  work.warps.shared_store.wavefronts =
      as_double(width) * (map_stores + filter_stores * shared_wavefronts(words, 1));

  const double rounds = as_double(parts(loads, d.threads * d.loads_in_flight));
  work.warps.integer = cost::map_load_integer * map_stores + cost::filter_load_integer(d) * filter_stores;
  work.warps.control = cost::map_load_control * map_stores + cost::filter_load_control(d) * filter_stores;
  work.fetched = 32 * work.warps.global_load.sectors;
  work.load_rounds = rounds;
  return work;
}

}  // namespace

void add(WarpCounts& to, const WarpCounts& from, double times) {
  to.ffma += times * from.ffma;
  add(to.shared_load, from.shared_load, times);
  add(to.shared_store, from.shared_store, times);
  add(to.global_load, from.global_load, times);
  add(to.global_store, from.global_store, times);
  add(to.async_copy, from.async_copy, times);
  to.integer += times * from.integer;
  to.control += times * from.control;
  to.barriers += times * from.barriers;
}

void BlockWork::add_steps(const BlockWork& other, double times) {
  add(warps, other.warps, times);
  active_warps += times * other.active_warps;
  fetched += times * other.fetched;
  stored += times * other.stored;
  load_rounds += times * other.load_rounds;
  steps += times * other.steps;
}

std::int64_t tiles_of(const ConvShape& shape, const Division& d, std::int64_t rows) {
  return shape.out_w() / d.tile_x * parts(rows, d.tile_y);
}
std::int64_t units_of(const ConvShape& shape, const Division& d, std::int64_t rows) {
  return parts(tiles_of(shape, d, rows), 32);
}

UnitMeans unit_means(const ConvShape& shape, const Division& d, std::int64_t rows) {
  constexpr std::int64_t most_samples = 8;
  const std::int64_t tiles = tiles_of(shape, d, rows), units = parts(tiles, 32);
  const std::int64_t samples = std::min(units, most_samples);
  const int row_tiles = static_cast<int>(shape.out_w() / d.tile_x);
  const FastDivisor by_row_tiles = fast_divisor(static_cast<unsigned>(row_tiles));
  // Rows of outputs start at multiples of this many words; which one varies with filter and row.
  const std::int64_t row_step = std::gcd(shape.out_w(), std::int64_t{8});
  UnitMeans means;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    const std::int64_t unit = sample * units / samples;
    std::array<int, 32> words{};
    std::int64_t run_start = 0, run_words = 0, run_rows = 0;
    const auto end_run = [&] {
      if (run_words > 0)
        means.store_sectors += as_double(run_rows) * mean_sectors(run_words, run_start, row_step);
      run_words = 0;
    };
    for (int lane = 0; lane < 32; ++lane) {
      const Tile tile = tile_at(static_cast<int>(unit) * 32 + lane, static_cast<int>(tiles),
                                static_cast<int>(rows), by_row_tiles, row_tiles, d.tile_x, d.tile_y);
      words[static_cast<std::size_t>(lane)] = window_word(tile, static_cast<int>(shape.W));
      if (tile.valid_rows <= 0) continue;
      if (tile.column == 0) end_run();
      if (run_words == 0) {
        run_start = tile.column;
        run_rows = std::min(tile.valid_rows, d.tile_y);
      }
      run_words += d.tile_x;
    }
    end_run();
    means.window_wavefronts += shared_wavefronts(words, window_vector(d.k, d.tile_x));
  }
  means.window_wavefronts /= as_double(samples);
  means.store_sectors /= as_double(samples);
  return means;
}

BlockWork compute_work(const ConvShape& shape, const Division& d, const UnitMeans& means, std::int64_t rows,
                       std::int64_t filters) {
  const std::int64_t warps = d.threads / 32;
  const std::int64_t units = units_of(shape, d, rows), items = units * filters;
  const std::int64_t share = parts(items, warps), active = parts(items, share);
  // A warp visits every unit it has an item of; a warp that starts inside a unit makes one visit more.
  const std::int64_t starts_on_a_unit = (active - 1) / (filters / std::gcd(share, filters));
  const std::int64_t visits = units + (active - 1) - starts_on_a_unit;
  const int k2 = d.k * d.k;
  const int vector_words = window_vector(d.k, d.tile_x);

  WarpCounts item;
  item.ffma = k2 * d.tile_x * d.tile_y;
  item.shared_load = {.w32 = static_cast<double>(k2 % 4), .w128 = static_cast<double>(k2 / 4)};
  item.shared_load.wavefronts = item.shared_load.instructions();  // broadcasts
  of_width(item.global_store, d.tile_x) = d.tile_y;
  item.global_store.sectors = means.store_sectors;
  item.integer = cost::item_integer(d);
  item.control = cost::item_control;

  WarpCounts visit;
  const double window_loads = (d.tile_y + d.k - 1) * (d.tile_x + d.k - 1) / static_cast<double>(vector_words);
  of_width(visit.shared_load, vector_words) = window_loads;
  visit.shared_load.wavefronts = window_loads * means.window_wavefronts;
  visit.integer = cost::visit_integer(d);
  visit.control = cost::visit_control;

  BlockWork work;
  add(work.warps, item, as_double(items));
  add(work.warps, visit, as_double(visits));
  work.warps.integer += as_double(warps) * cost::step_integer(d) + as_double(active) * cost::share_integer;
  work.warps.control += as_double(warps) * cost::step_control(d) + as_double(active) * cost::share_control;
  work.warps.barriers += as_double(warps) * (d.prefetch() ? 1 : 2);
  work.active_warps = as_double(active);
  work.stored = 4 * as_double(rows * shape.out_w() * filters);
  work.steps = 1;
  return work;
}

std::int64_t map_words(const ConvShape& shape, const Division& d, std::int64_t first_row, std::int64_t rows) {
  return aligned_copy(first_row * shape.W, static_cast<int>((rows + d.k - 1) * shape.W),
                      shape.input_elements())
      .words;
}

BlockWork request_work(const Division& d, std::int64_t map, std::int64_t filter_weights) {
  return d.prefetch() ? async_work(d, map, filter_weights) : volume_work(d, map, filter_weights);
}

}  // namespace tilecast::chang_single
