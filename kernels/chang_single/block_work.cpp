#include "kernels/chang_single/block_work.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "kernels/chang_single/code_costs.hpp"
#include "kernels/chang_single/warp_access.hpp"
#include "model/units/hardware_sizes.hpp"

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
  work.warps.async_copy = {
      .w32 = filter_instructions,
      .w128 = map_instructions,
      .sectors = as_double(parts(map, sector_words) + parts(filter_weights, sector_words))};
  const double warps = as_double(d.warps());
  work.copies = map_instructions + filter_instructions;
  work.most_copies = as_double(parts(map / 4, d.threads) + parts(filter_weights, d.threads));
  work.warps.integer = cost::map_copy_integer * map_instructions +
                       cost::filter_copy_integer(d) * filter_instructions + cost::request_integer(d) * warps;
  work.warps.control =
      cost::copy_control * (map_instructions + filter_instructions) + cost::request_control(d) * warps;
  work.fetched = sector_bytes * work.warps.async_copy.sectors;
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
  work.warps.global_load.sectors = as_double(parts(map, sector_words) + parts(filter_weights, sector_words));

  const double map_stores = as_double(parts(map_loads, 32)),
               filter_stores = as_double(parts(filter_loads, 32));
  std::array<int, 32> words{};
  for (int lane = 0; lane < 32; ++lane)
    words[static_cast<std::size_t>(lane)] = filter_word(lane * static_cast<int>(width), d.k);
  of_width(work.warps.shared_store, width) += map_stores;
  work.warps.shared_store.w32 += as_double(width) * filter_stores;
  work.warps.shared_store.wavefronts =
      as_double(width) * (map_stores + filter_stores * shared_wavefronts(words, 1));

  const std::int64_t in_round = d.threads * d.loads_in_flight;
  const double rounds = as_double(parts(loads, in_round));
  // Warps that have a load left go through the loop once more, with all its loads.
  const std::int64_t trips =
      loads / in_round * d.warps() + std::min<std::int64_t>(parts(loads % in_round, 32), d.warps());
  work.copies = as_double(trips * d.loads_in_flight);
  work.most_copies = rounds * as_double(d.loads_in_flight);
  work.warps.integer = cost::map_load_integer * map_stores + cost::filter_load_integer(d) * filter_stores;
  work.warps.control = cost::map_load_control * map_stores + cost::filter_load_control(d) * filter_stores;
  work.fetched = sector_bytes * work.warps.global_load.sectors;
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
  visits += times * other.visits;
  copies += times * other.copies;
  most_copies += times * other.most_copies;
  active_warps += times * other.active_warps;
  items += times * other.items;
  busiest_scheduler += times * other.busiest_scheduler;
  busiest_warp += times * other.busiest_warp;
  fetched += times * other.fetched;
  stored += times * other.stored;
  load_rounds += times * other.load_rounds;
  steps += times * other.steps;
}

namespace {

std::int64_t plane_of(const ConvShape& shape) {
  return shape.out_h() * shape.out_w();
}

// A unit's tiles as tile_at() and place_of() have them: outputs of one band after the other. Groups of tiles
// do not straddle bands.
struct Unit {
  int begin, end;  // its outputs, the first of them before the strip's in part of the first unit
  int outputs;     // of the strip
  int out_w;
  bool in_one_band() const { return begin >= 0 && end <= outputs && begin / out_w == (end - 1) / out_w; }
};

// 32-byte sectors that one unit's stores of one filter touch, all rows of its tiles.
int store_sectors(const Division& d, std::int64_t rows, const Unit& unit, std::int64_t phase) {
  const int begin = std::max(0, unit.begin), end = std::min(unit.outputs, unit.end);
  // Outputs that follow each other without gaps.
  const int run = d.tile_y > 1 ? unit.out_w : unit.outputs;
  int sectors = 0;
  for (int y = 0; y < d.tile_y; ++y) {
    int next = 0;  // behind the last sector that was counted
    for (int band = begin / run; band * run < end && band * d.tile_y + y < rows; ++band) {
      const int row_begin = static_cast<int>(phase) + (band * d.tile_y + y) * unit.out_w - band * run;
      const int first = row_begin + std::max(begin, band * run);
      const int behind = row_begin + std::min(end, (band + 1) * run);
      const int behind_last = (behind - 1) / sector_words + 1;
      sectors += behind_last - std::max(first / sector_words, next);
      next = behind_last;
    }
  }
  return sectors;
}

// Wavefronts of one window load, mean over a tile's groups.
double window_wavefronts(const Division& d, const Unit& unit) {
  // A band's windows begin so many words later than those of the one before, beside its outputs.
  const int more = d.tile_y * (unit.out_w + d.k - 1) - unit.out_w;
  double wavefronts = 0;
  for (int from = 0; from < d.tile_x; from += d.group) {
    const auto inside = [&](int lane) {
      return std::clamp(unit.begin + lane * d.tile_x + from, 0, unit.outputs - d.group);
    };
    int band = inside(0) / unit.out_w;
    std::array<int, 32> words;
    for (int lane = 0; lane < 32; ++lane) {
      while (inside(lane) >= (band + 1) * unit.out_w)
        ++band;
      words[static_cast<std::size_t>(lane)] = inside(lane) + band * more;
    }
    wavefronts += shared_wavefronts(words, window_vector(d.k, d.group));
  }
  return wavefronts * d.group / d.tile_x;
}

// A4. Groups of the tiles of which a strip has a part only, at its two ends: each is a store of its own, to a
// sector that the rest of the unit stores to as well.
int groups_apart(const Division& d, int outputs, int lead) {
  const int first = lead % d.tile_x, behind = (lead + outputs) % d.tile_x;
  return ((first > 0 ? d.tile_x - first : 0) + behind) / d.group;
}

}  // namespace

UnitMeans unit_means(const ConvShape& shape, const Division& d, std::int64_t rows, std::int64_t phase) {
  const std::int64_t plane = plane_of(shape);
  const std::int64_t period = sector_words / std::gcd(plane, std::int64_t{sector_words});
  constexpr std::int64_t most_samples = 8;
  const std::int64_t units = units_of(shape, d, rows, lead_at(d, phase));
  const std::int64_t samples = std::min(units * period, most_samples);
  const int out_w = static_cast<int>(shape.out_w());
  const int outputs = band_outputs(static_cast<int>(rows), d.tile_y, out_w);
  std::optional<double> in_one_band;
  UnitMeans means;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    const std::int64_t index = sample * units * period / samples;
    const std::int64_t filter_phase = (phase + index % period * plane) % sector_words;
    const int begin = tile_at(static_cast<int>(index / period), 0, lead_at(d, filter_phase), d.tile_x);
    const Unit unit{begin, begin + unit_words(d.tile_x), outputs, out_w};
    if (!unit.in_one_band()) {
      means.window_wavefronts += window_wavefronts(d, unit);
    } else {  // whichever it is
      if (!in_one_band) in_one_band = window_wavefronts(d, unit);
      means.window_wavefronts += *in_one_band;
    }
    means.store_sectors += store_sectors(d, rows, unit, filter_phase);
  }
  means.window_wavefronts /= as_double(samples);
  means.store_sectors /= as_double(samples);
  if (d.group < d.tile_x) {
    double apart = 0, all = 0;
    for (std::int64_t filter = 0; filter < period; ++filter) {
      const int lead = lead_at(d, (phase + filter * plane) % sector_words);
      apart += groups_apart(d, outputs, lead);
      all += as_double(units_of(shape, d, rows, lead));
    }
    means.store_sectors += apart / all;
  }
  return means;
}

StepCounts step_counts(const ConvShape& shape, const Division& d, const StepShape& step,
                       std::int64_t schedulers) {
  StepCounts counts;
  const WarpWork work = d.warp(0);
  std::array<std::int64_t, 16> most_units{};  // by warp along filters
  std::array<std::int64_t, 16> items{};       // by warp
  for (std::int64_t first = 0; first < std::min<std::int64_t>(work.filter_step, step.filters); ++first) {
    const int lead = lead_at(d, step.phase + first * plane_of(shape));
    const std::int64_t units = units_of(shape, d, step.rows, lead);
    counts.visits += units;
    const std::int64_t filters = parts(step.filters - first, work.filter_step);
    counts.items += units * filters;
    const std::int64_t lane = first % work.filter_lanes;
    auto& most = most_units[static_cast<std::size_t>(lane)];
    most = std::max(most, units);
    for (std::int64_t unit = 0; unit < std::min<std::int64_t>(units, work.unit_step); ++unit)
      items[static_cast<std::size_t>(lane * work.unit_step + unit)] +=
          parts(units - unit, work.unit_step) * filters;
  }
  for (std::int64_t scheduler = 0; scheduler < schedulers; ++scheduler) {
    std::int64_t sum = 0;
    for (std::int64_t warp = scheduler; warp < d.warps(); warp += schedulers) {
      const std::int64_t own = items[static_cast<std::size_t>(warp)];
      sum += own;
      counts.busiest_warp = std::max(counts.busiest_warp, own);
    }
    counts.busiest_scheduler = std::max(counts.busiest_scheduler, sum);
  }
  for (const std::int64_t units : most_units)
    counts.active_warps += std::min<std::int64_t>(units, work.unit_step);
  return counts;
}

BlockWork compute_work(const ConvShape& shape, const Division& d, const UnitMeans& means,
                       const StepShape& step, std::int64_t schedulers) {
  const std::int64_t warps = d.warps();
  const StepCounts counts = step_counts(shape, d, step, schedulers);
  const int k2 = d.k * d.k;
  const int group = d.group;
  const int vector_words = window_vector(d.k, group);

  WarpCounts item;
  item.ffma = k2 * d.tile_x * d.tile_y;
  item.shared_load = {.w32 = static_cast<double>(k2 % 4), .w128 = static_cast<double>(k2 / 4)};
  item.shared_load.wavefronts = item.shared_load.instructions();  // broadcasts
  of_width(item.global_store, d.tile_x) = d.tile_y;
  item.global_store.sectors = means.store_sectors;
  item.integer = cost::item_integer(d);
  item.control = cost::item_control(d);

  WarpCounts visit;
  const double window_loads =
      d.tile_x / group * (d.tile_y + d.k - 1) * (group + d.k - 1) / static_cast<double>(vector_words);
  of_width(visit.shared_load, vector_words) = window_loads;
  visit.shared_load.wavefronts = window_loads * means.window_wavefronts;
  visit.integer = cost::visit_integer(d);
  visit.control = cost::visit_control(d);

  BlockWork work;
  add(work.warps, item, as_double(counts.items));
  add(work.warps, visit, as_double(counts.visits));
  work.warps.integer += as_double(warps) * cost::step_integer(d);
  work.warps.control += as_double(warps) * cost::step_control(d);
  work.warps.barriers += as_double(warps) * (d.prefetch() ? 1 : 2);
  work.visits = as_double(counts.visits);
  work.active_warps = as_double(counts.active_warps);
  work.items = as_double(counts.items);
  work.busiest_scheduler = as_double(counts.busiest_scheduler);
  work.busiest_warp = as_double(counts.busiest_warp);
  work.stored = 4 * as_double(step.rows * shape.out_w() * step.filters);
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
