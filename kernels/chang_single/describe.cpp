// What the kernel issues and moves, counted from its own index functions.
//
// Integer and control counts, and registers without a code record, are those of the code that NVRTC 13.0
// makes for sm_90, read from its disassembly (nvdisasm): loop_costs below. FFMA, shared-memory, global-memory
// and barrier counts are exact; tests hold them against the code for several specialisations.

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/chang_single/chang_single.hpp"
#include "kernels/chang_single/code_costs.hpp"
#include "kernels/chang_single/division.hpp"
#include "kernels/chang_single/warp_access.hpp"

namespace tilecast::chang_single {
namespace {

std::int64_t parts(std::int64_t n, std::int64_t size) {
  return (n + size - 1) / size;
}
double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

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

template <class Access>
double& of_width(Access& access, std::int64_t words) {
  return words == 4 ? access.w128 : words == 2 ? access.w64 : access.w32;
}

// Work of some steps of one block, summed over its warps.
struct BlockWork {
  WarpCounts warps;
  double active_warps = 0;         // sum over steps of the warps that compute
  double fetched = 0, stored = 0;  // bytes
  double load_rounds = 0;          // volume mode: dependent rounds of loads
  double steps = 0;

  void add_steps(const BlockWork& other, double times) {
    add(warps, other.warps, times);
    active_warps += times * other.active_warps;
    fetched += times * other.fetched;
    stored += times * other.stored;
    load_rounds += times * other.load_rounds;
    steps += times * other.steps;
  }
};

// `total` cut every `size`: `full` parts and a last one that may be shorter.
struct Cut {
  std::int64_t full = 0;  // parts before the last
  std::int64_t size = 0, last = 0;
  std::int64_t count() const { return full + 1; }
};

Cut cut(std::int64_t total, std::int64_t size) {
  const std::int64_t full = parts(total, size) - 1;
  return {full, size, total - full * size};
}

template <class Function>  // f(size, how many)
void for_each_size(const Cut& c, Function f) {
  if (c.full > 0) f(c.size, c.full);
  f(c.last, std::int64_t{1});
}

std::int64_t tiles_of(const ConvShape& shape, const Division& d, std::int64_t rows) {
  return shape.out_w() / d.tile_x * parts(rows, d.tile_y);
}
std::int64_t units_of(const ConvShape& shape, const Division& d, std::int64_t rows) {
  return parts(tiles_of(shape, d, rows), 32);
}

// Means over the units of a strip, from some of them evenly spread.
struct UnitMeans {
  double window_wavefronts = 0;  // of one window load instruction
  double store_sectors = 0;      // of one unit and filter, all rows of its tiles
};

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

// compute() of the kernel for one step.
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
  work.warps.integer += as_double(warps) * cost::step_integer;
  work.warps.control += as_double(warps) * cost::step_control;
  work.warps.barriers += as_double(warps) * (d.prefetch() ? 1 : 2);
  work.active_warps = as_double(active);
  work.stored = 4 * as_double(rows * shape.out_w() * filters);
  work.steps = 1;
  return work;
}

// Words of the copies that a request makes: of the map for `rows` output rows, of `filters` filters.
std::int64_t map_words(const ConvShape& shape, const Division& d, std::int64_t first_row, std::int64_t rows) {
  return aligned_copy(first_row * shape.W, static_cast<int>((rows + d.k - 1) * shape.W),
                      shape.input_elements())
      .words;
}

// Asynchronous copies of one request: 16 bytes of the map and 4 bytes of the filters a lane.
BlockWork async_work(const Division& d, std::int64_t map, std::int64_t filter_weights) {
  const double map_instructions = as_double(parts(map / 4, 32));
  const double filter_instructions = as_double(parts(filter_weights, 32));
  BlockWork work;
  work.warps.async_copy = {.w32 = filter_instructions,
                           .w128 = map_instructions,
                           .sectors = as_double(parts(map, 8) + parts(filter_weights, 8))};
  work.warps.integer = cost::map_copy_integer * map_instructions +
                       cost::filter_copy_integer(d) * filter_instructions +
                       cost::request_integer * as_double(d.threads / 32);
  work.warps.control =
      map_instructions + filter_instructions + cost::request_control * as_double(d.threads / 32);
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
  work.warps.integer =
      cost::volume_integer(d) * instructions + cost::request_integer * as_double(d.threads / 32);
  work.warps.control = cost::volume_control(d) * instructions;
  work.fetched = 32 * work.warps.global_load.sectors;
  work.load_rounds = rounds;
  return work;
}

Phase make_phase(std::string_view name, PhaseRole role, const BlockWork& work, double trips, double warps) {
  Phase phase;
  phase.name = name;
  phase.role = role;
  phase.trips = trips;
  phase.active_warps = work.active_warps > 0 ? work.active_warps / work.steps : warps;
  const double steps = work.steps > 0 ? work.steps : 1;
  add(phase.warp, work.warps, 1 / (steps * phase.active_warps));
  phase.warp.barriers = work.warps.barriers / (steps * warps);  // every warp, active or not
  phase.fetched = Bytes{work.fetched / steps};
  phase.stored = Bytes{work.stored / steps};
  return phase;
}

struct BlockProgram {
  const ConvShape& shape;
  const Division& d;
  Cut strips, pieces;
  std::array<UnitMeans, 2> means;  // of a full and of the last strip

  BlockProgram(const ConvShape& s, const Division& division)
      : shape(s),
        d(division),
        strips(cut(d.rows_per_block, d.rows_per_strip)),
        pieces(cut(d.filters_per_block, d.filters_per_piece)) {
    means[1] = unit_means(shape, d, strips.last);
    means[0] = strips.last == strips.size ? means[1] : unit_means(shape, d, strips.size);
  }

  BlockWork compute(std::int64_t rows, std::int64_t filters) const {
    return compute_work(shape, d, means[rows == strips.size ? 0 : 1], rows, filters);
  }
  BlockWork request(std::int64_t rows, std::int64_t filters) const {  // 0: not requested
    const std::int64_t map = rows > 0 ? map_words(shape, d, 0, rows) : 0;
    const std::int64_t weights = filters * d.k * d.k;
    return d.prefetch() ? async_work(d, map, weights) : volume_work(d, map, weights);
  }
  BlockWork all_computing() const {
    BlockWork all;
    for_each_size(pieces, [&](std::int64_t filters, std::int64_t how_many_pieces) {
      for_each_size(strips, [&](std::int64_t rows, std::int64_t how_many) {
        all.add_steps(compute(rows, filters), as_double(how_many * how_many_pieces));
      });
    });
    return all;
  }
  // Everything requested after the first step's request. With one strip the map stays for all pieces.
  BlockWork later_requests() const {
    BlockWork all;
    const double map_passes = strips.count() > 1 ? as_double(pieces.count()) : 0;
    for_each_size(strips, [&](std::int64_t rows, std::int64_t how_many) {
      all.add_steps(request(rows, 0), map_passes * as_double(how_many));
    });
    if (strips.count() > 1) all.add_steps(request(strips.count() > 1 ? strips.size : strips.last, 0), -1);
    for_each_size(pieces, [&](std::int64_t filters, std::int64_t how_many) {
      all.add_steps(request(0, filters), as_double(how_many));
    });
    all.add_steps(request(0, pieces.full > 0 ? pieces.size : pieces.last), -1);
    // A step that brings both makes one request.
    return all;
  }
  std::int64_t first_rows() const { return strips.full > 0 ? strips.size : strips.last; }
  std::int64_t first_filters() const { return pieces.full > 0 ? pieces.size : pieces.last; }
};

std::vector<Phase> prefetch_phases(const BlockProgram& program, double images) {
  const double warps = as_double(program.d.threads / 32);
  const double steps = as_double(program.strips.count() * program.pieces.count());
  std::vector<Phase> phases;

  BlockWork prologue = program.request(program.first_rows(), program.first_filters());
  prologue.warps.integer += cost::block_integer * warps;
  prologue.warps.control += cost::block_control * warps;
  prologue.warps.barriers += warps;
  Phase load = make_phase("load", PhaseRole::prologue, prologue, images, warps);
  load.exposed_latencies = 1;
  phases.push_back(load);

  const BlockWork last = program.compute(program.strips.last, program.pieces.last);
  if (steps > 1) {
    BlockWork steady = program.all_computing();
    steady.add_steps(last, -1);
    steady.add_steps(program.later_requests(), 1);
    Phase step = make_phase("step", PhaseRole::steady, steady, images * (steps - 1), warps);
    step.fetch_distance = 1;
    phases.push_back(step);
  }
  Phase final_step =
      make_phase("last step", steps > 1 ? PhaseRole::epilogue : PhaseRole::steady, last, images, warps);
  final_step.fetch_distance = 1;
  phases.push_back(final_step);
  return phases;
}

std::vector<Phase> volume_phases(const BlockProgram& program, double images) {
  const double warps = as_double(program.d.threads / 32);
  const double steps = as_double(program.strips.count() * program.pieces.count());
  std::vector<Phase> phases;

  BlockWork prologue;
  prologue.warps.integer = cost::block_integer * warps;
  prologue.warps.control = cost::block_control * warps;
  phases.push_back(make_phase("set up", PhaseRole::prologue, prologue, images, warps));

  BlockWork first = program.compute(program.first_rows(), program.first_filters());
  BlockWork later = program.all_computing();
  later.add_steps(first, -1);
  later.add_steps(program.later_requests(), 1);
  first.add_steps(program.request(program.first_rows(), program.first_filters()), 1);
  Phase first_step = make_phase("first step", PhaseRole::steady, first, images, warps);
  first_step.exposed_latencies = first.load_rounds;
  phases.push_back(first_step);
  if (steps > 1) {
    Phase step = make_phase("step", PhaseRole::steady, later, images * (steps - 1), warps);
    step.exposed_latencies = later.load_rounds / (steps - 1);
    phases.push_back(step);
  }
  return phases;
}

// Sums over the grid.
struct GridSums {
  double fma_executed = 0;
  double input_requested = 0, filters_requested = 0;  // bytes
};

GridSums grid_sums(const ConvShape& shape, const Division& d) {
  GridSums sums;
  const Cut blocks_y = cut(shape.out_h(), d.rows_per_block);
  const Cut blocks_m = cut(shape.M, d.filters_per_block);
  std::int64_t units = 0;        // over all strips of the map
  std::int64_t input_words = 0;  // one pass over the map by one column of blocks
  bool map_cut = false;
  for (std::int64_t block = 0; block < blocks_y.count(); ++block) {
    const Range rows =
        part(static_cast<int>(shape.out_h()), static_cast<int>(d.rows_per_block), static_cast<int>(block));
    const Cut strips = cut(rows.count, d.rows_per_strip);
    map_cut = map_cut || strips.count() > 1;
    std::int64_t first_row = rows.first;
    for_each_size(strips, [&](std::int64_t strip_rows, std::int64_t how_many) {
      units += how_many * units_of(shape, d, strip_rows);
      for (std::int64_t i = 0; i < how_many; ++i, first_row += strip_rows)
        input_words += map_words(shape, d, first_row, strip_rows);
    });
  }
  std::int64_t map_passes = 0;
  for_each_size(blocks_m, [&](std::int64_t filters, std::int64_t how_many) {
    map_passes += how_many * (map_cut ? parts(filters, d.filters_per_piece) : 1);
  });
  const double images = as_double(shape.N);
  sums.fma_executed = images * as_double(units * shape.M) * 32.0 * (d.k * d.k * d.tile_x * d.tile_y);
  sums.input_requested = 4 * images * as_double(input_words * map_passes);
  sums.filters_requested = 4 * images * as_double(blocks_y.count() * shape.filter_elements());
  return sums;
}

Bytes whole_sectors(std::int64_t elements) {
  return Bytes{32 * as_double(parts(elements, 8))};
}

}  // namespace

KernelDescription describe(const ConvShape& shape, const Config& config, const DeviceProfile&,
                           const CodeRecord* code) {
  const Division d = divide_problem(shape, config);
  KernelDescription kernel;
  kernel.family = "chang_single";
  kernel.launch.blocks = d.grid_m * d.grid_y * d.images_in_grid;
  kernel.launch.threads = d.threads;
  kernel.launch.registers = code ? code->registers : cost::registers(d);
  kernel.launch.shared = Bytes{as_double(d.shared_bytes() + (code ? code->static_shared_bytes : 0))};
  kernel.counted_from_code = code != nullptr;

  const BlockProgram program(shape, d);
  const double images = as_double(parts(shape.N, d.images_in_grid));  // of the busiest block
  kernel.phases = d.prefetch() ? prefetch_phases(program, images) : volume_phases(program, images);

  const GridSums sums = grid_sums(shape, d);
  kernel.fma_executed = sums.fma_executed;
  kernel.fma_useful = as_double(shape.fmas());
  kernel.streams = {{"input", false, whole_sectors(shape.input_elements()), Bytes{sums.input_requested}},
                    {"filters", false, whole_sectors(shape.filter_elements()), Bytes{sums.filters_requested}},
                    {"output", true, whole_sectors(shape.output_elements()),
                     Bytes{4 * as_double(shape.output_elements())}}};
  return kernel;
}

}  // namespace tilecast::chang_single
