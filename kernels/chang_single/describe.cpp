// What the kernel issues and moves, counted from its own index functions.
//
// FFMA, shared-memory, global-memory and barrier counts follow from those functions; tests hold them against
// the kernel emulated lane by lane. Integer and control counts, and registers without a code record, are
// those of the compiled code: code_costs.hpp.

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/chang_single/block_work.hpp"
#include "kernels/chang_single/chang_single.hpp"
#include "kernels/chang_single/code_costs.hpp"
#include "kernels/chang_single/division.hpp"
#include "kernels/chang_single/split_lines.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::chang_single {
namespace {

// A14. The loop over images around that over steps, which a mix has among its steps.
CodeCounts once_an_image(const Division& d) {
  if (!d.prefetch()) return {.issued = 11, .integer_mad = 4, .integer = 2, .chain_cycles = 77};
  return {.issued = 20,
          .integer_mad = 3,
          .integer = 3,
          .uniform = 3,
          .memory = 1,
          .queue_cycles = 1,
          .chain_cycles = 125,
          .barriers = 1};
}

// A14. Windows that one of the phase's warps loads outside of the core. A code of one step knows whether a
// pass visits its units with more than one filter: where not, the units are the innermost loop, and their
// windows in the core.
double windows_of(const Phase& phase, const BlockWork& work, const Division& d, const CodeMix& mix) {
  const double visits = work.visits / (std::max(1.0, work.steps) * phase.active_warps);
  const double windows = mix[MixPart::last].times;
  const double ffma = mix[MixPart::core].times + windows * mix[MixPart::last].unit.ffma;
  if (!d.one_step || ffma <= 0 || windows <= 0) return visits;
  // Means over all warps: where each was seen to load one (exactly: each has one), those without work did.
  return windows == 1 && visits <= 1 ? visits : windows / ffma * phase.warp.ffma;
}

// What the phase's warps issue, by the machine code. `once`: the part of the code that a trip of the phase
// goes through once.
void count_code(Phase& phase, const BlockWork& work, const Division& d, const CodeMix* mix, MixPart once) {
  if (!mix) return;
  const double steps = work.steps > 0 ? work.steps : 1, warps = as_double(d.warps());
  // Trips of the part `step` to a step of the launch that was read, which its barriers tell.
  const auto& part = (*mix)[MixPart::step];
  const double barriers = part.times * part.unit.barriers;
  const double steps_read = d.one_step ? 1 : d.prefetch() ? barriers - 1 : barriers / 2;
  const double trips =
      once == MixPart::step && steps_read > 0 && part.times > 0 ? part.times / steps_read : 1;
  CodeSegments code;
  code.around = counts_of(*mix, {{once, trips}, {MixPart::copy, work.copies / (steps * warps)}});
  if (!d.one_step && part.times > 0 && steps_read > 0) {
    if (once == MixPart::start) code.around.add(once_an_image(d));
    if (once == MixPart::step) code.around.add(once_an_image(d), -1 / steps_read);
  }
  // The block waits for the warp with the most copies.
  code.around.chain_cycles +=
      (work.most_copies - work.copies / warps) / steps * (*mix)[MixPart::copy].unit.chain_cycles;
  if (phase.fetch_distance == 0 && work.most_copies > 0) {
    code.copies = counts_of(*mix, {{MixPart::copy, work.most_copies / steps}});
    code.copying = work.copies / (work.most_copies * warps);
  }
  const double visits = windows_of(phase, work, d, *mix);
  // The compiler may have taken a first turn out of the loop.
  const double in_front = d.one_step ? visits * (*mix)[MixPart::last].unit.ffma : 0;
  code.compute = core_of(*mix, std::max(0.0, phase.warp.ffma - in_front));
  code.compute.add(counts_of(*mix, {{MixPart::last, visits}}));
  code.before_stores = counts_of(*mix, {{MixPart::last, std::min(1.0, visits)}});  // the first window
  code.windows = std::max(1.0, visits);
  phase.code = code;
}

Phase make_phase(std::string_view name, PhaseRole role, const BlockWork& work, double trips, double warps) {
  Phase phase;
  phase.name = name;
  phase.role = role;
  phase.trips = trips;
  phase.active_warps = work.active_warps > 0 ? work.active_warps / work.steps : warps;
  if (work.items > 0) {
    const double items_of_warp = work.items / work.active_warps;
    phase.uneven = UnevenWarps{work.busiest_scheduler / work.steps / items_of_warp,
                               work.busiest_warp / work.steps / items_of_warp};
  }
  const double steps = work.steps > 0 ? work.steps : 1;
  add(phase.warp, work.warps, 1 / (steps * phase.active_warps));
  phase.warp.barriers = work.warps.barriers / (steps * warps);  // every warp, active or not
  phase.fetched = Bytes{work.fetched / steps};
  phase.stored = Bytes{work.stored / steps};
  return phase;
}

// Steps of block (0, 0) of the first image that are alike.
struct Steps {
  StepShape shape;
  std::int64_t count = 0;
  UnitMeans means;
  BlockWork work;  // of one of them
};

std::vector<Steps> steps_of(const ConvShape& shape, const Cut& strips, const Cut& pieces) {
  std::vector<Steps> all;
  for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
    for (std::int64_t strip = 0; strip < strips.count(); ++strip) {
      const std::int64_t first = (piece * pieces.size * shape.out_h() + strip * strips.size) * shape.out_w();
      const StepShape step{strip < strips.full ? strips.size : strips.last,
                           piece < pieces.full ? pieces.size : pieces.last, first % sector_words};
      const auto known = std::ranges::find(all, step, &Steps::shape);
      if (known == all.end()) {
        all.push_back({step, 1, {}, {}});
      } else {
        ++known->count;
      }
    }
  }
  return all;
}

struct BlockProgram {
  const ConvShape& shape;
  const Division& d;
  Cut strips, pieces;
  std::vector<Steps> steps;
  StepShape last;

  BlockProgram(const ConvShape& s, const Division& division, std::int64_t schedulers)
      : shape(s),
        d(division),
        strips(cut(d.rows_per_block, d.rows_per_strip)),
        pieces(cut(d.filters_per_block, d.filters_per_piece)),
        steps(steps_of(s, strips, pieces)),
        last{strips.last, pieces.last,
             (pieces.full * pieces.size * s.out_h() + strips.full * strips.size) * s.out_w() % sector_words} {
    for (auto alike = steps.begin(); alike != steps.end(); ++alike) {
      // Whatever their filters.
      const auto known = std::find_if(steps.begin(), alike, [&](const Steps& other) {
        return other.shape.rows == alike->shape.rows && other.shape.phase == alike->shape.phase;
      });
      alike->means =
          known != alike ? known->means : unit_means(shape, d, alike->shape.rows, alike->shape.phase);
      alike->work = compute_work(shape, d, alike->means, alike->shape, schedulers);
    }
  }

  const BlockWork& compute(const StepShape& step) const {
    return std::ranges::find(steps, step, &Steps::shape)->work;  // first and last are among them
  }
  StepShape first() const { return {first_rows(), first_filters(), 0}; }
  BlockWork request(std::int64_t rows, std::int64_t filters) const {  // 0: not requested
    const std::int64_t map = rows > 0 ? map_words(shape, d, 0, rows) : 0;
    const std::int64_t weights = filters * d.k * d.k;
    return request_work(d, map, weights);
  }
  BlockWork all_computing() const {
    BlockWork all;
    for (const auto& alike : steps)
      all.add_steps(alike.work, as_double(alike.count));
    return all;
  }
  // Everything requested after the first step's request. With one strip the map stays for all pieces. A step
  // that brings a strip and a piece counts as two requests here, though it makes one.
  BlockWork later_requests() const {
    BlockWork all;
    const double map_passes = strips.count() > 1 ? as_double(pieces.count()) : 0;
    for_each_size(strips, [&](std::int64_t rows, std::int64_t how_many) {
      all.add_steps(request(rows, 0), map_passes * as_double(how_many));
    });
    if (strips.count() > 1) all.add_steps(request(first_rows(), 0), -1);
    for_each_size(pieces, [&](std::int64_t filters, std::int64_t how_many) {
      all.add_steps(request(0, filters), as_double(how_many));
    });
    all.add_steps(request(0, first_filters()), -1);
    return all;
  }
  std::int64_t first_rows() const { return strips.full > 0 ? strips.size : strips.last; }
  std::int64_t first_filters() const { return pieces.full > 0 ? pieces.size : pieces.last; }
};

std::vector<Phase> prefetch_phases(const BlockProgram& program, double images, const CodeMix* mix) {
  const double warps = as_double(program.d.warps());
  const double steps = as_double(program.strips.count() * program.pieces.count());
  std::vector<Phase> phases;
  phases.reserve(3);

  BlockWork prologue = program.request(program.first_rows(), program.first_filters());
  prologue.warps.integer += cost::block_integer(program.d) * warps;
  prologue.warps.control += cost::block_control(program.d) * warps;
  if (!program.d.one_step) prologue.warps.barriers += warps;
  Phase load = make_phase("load", PhaseRole::prologue, prologue, images, warps);
  load.exposed_latencies = 1;
  if (mix) load.cycles_until_wait = (*mix)[MixPart::start].unit.copy_distance;
  count_code(load, prologue, program.d, mix, MixPart::start);
  phases.push_back(load);

  const BlockWork last = program.compute(program.last);
  if (steps > 1) {
    BlockWork steady = program.all_computing();
    steady.add_steps(last, -1);
    steady.add_steps(program.later_requests(), 1);
    Phase step = make_phase("step", PhaseRole::steady, steady, images * (steps - 1), warps);
    step.fetch_distance = 1;
    count_code(step, steady, program.d, mix, MixPart::step);
    phases.push_back(step);
  }
  Phase final_step =
      make_phase("last step", steps > 1 ? PhaseRole::epilogue : PhaseRole::steady, last, images, warps);
  final_step.fetch_distance = 1;
  count_code(final_step, last, program.d, mix, MixPart::step);
  if (mix) final_step.code->around.add(counts_of(*mix, {{MixPart::sum, 1}, {MixPart::end, 1}}));
  phases.push_back(final_step);
  return phases;
}

std::vector<Phase> volume_phases(const BlockProgram& program, double images, const CodeMix* mix) {
  const double warps = as_double(program.d.warps());
  const double steps = as_double(program.strips.count() * program.pieces.count());
  std::vector<Phase> phases;
  phases.reserve(3);

  BlockWork prologue;
  prologue.warps.integer = cost::block_integer(program.d) * warps;
  prologue.warps.control = cost::block_control(program.d) * warps;
  phases.push_back(make_phase("set up", PhaseRole::prologue, prologue, images, warps));
  count_code(phases.back(), prologue, program.d, mix, MixPart::start);

  BlockWork first = program.compute(program.first());
  BlockWork later = program.all_computing();
  later.add_steps(first, -1);
  later.add_steps(program.later_requests(), 1);
  first.add_steps(program.request(program.first_rows(), program.first_filters()), 1);
  Phase first_step = make_phase("first step", PhaseRole::steady, first, images, warps);
  first_step.exposed_latencies = first.load_rounds;
  count_code(first_step, first, program.d, mix, MixPart::step);
  phases.push_back(first_step);
  if (steps > 1) {
    Phase step = make_phase("step", PhaseRole::steady, later, images * (steps - 1), warps);
    step.exposed_latencies = later.load_rounds / (steps - 1);
    count_code(step, later, program.d, mix, MixPart::step);
    phases.push_back(step);
  }
  if (mix) phases.back().code->around.add(counts_of(*mix, {{MixPart::sum, 1}, {MixPart::end, 1}}));
  return phases;
}

// Sums over the grid.
struct GridSums {
  std::int64_t items = 0;                             // units times filters
  double input_requested = 0, filters_requested = 0;  // bytes
};

// Units of a strip, over all filters of all images. Leads repeat with the period.
std::int64_t items_of(const ConvShape& shape, const Division& d, std::int64_t first_row, std::int64_t rows) {
  const std::int64_t planes = shape.N * shape.M;
  std::int64_t items = 0;
  for (std::int64_t first = 0; first < std::min<std::int64_t>(d.period, planes); ++first) {
    const int lead = lead_at(d, (first * shape.out_h() + first_row) * shape.out_w());
    items += units_of(shape, d, rows, lead) * parts(planes - first, d.period);
  }
  return items;
}

GridSums grid_sums(const ConvShape& shape, const Division& d) {
  GridSums sums;
  const Cut blocks_y = cut(shape.out_h(), d.rows_per_block);
  const Cut blocks_m = cut(shape.M, d.filters_per_block);
  std::int64_t input_words = 0;  // one pass over the map by one column of blocks
  bool map_cut = false;
  for (std::int64_t block = 0; block < blocks_y.count(); ++block) {
    const Range rows =
        part(static_cast<int>(shape.out_h()), static_cast<int>(d.rows_per_block), static_cast<int>(block));
    const Cut strips = cut(rows.count, d.rows_per_strip);
    map_cut = map_cut || strips.count() > 1;
    std::int64_t first_row = rows.first;
    for_each_size(strips, [&](std::int64_t strip_rows, std::int64_t how_many) {
      std::array<std::int64_t, sector_words> known{};  // items, by where the strip begins in a sector
      for (std::int64_t i = 0; i < how_many; ++i, first_row += strip_rows) {
        input_words += map_words(shape, d, first_row, strip_rows);
        auto& items = known[static_cast<std::size_t>(first_row * shape.out_w() % sector_words)];
        if (items == 0) items = items_of(shape, d, first_row, strip_rows);
        sums.items += items;
      }
    });
  }
  std::int64_t map_passes = 0;
  for_each_size(blocks_m, [&](std::int64_t filters, std::int64_t how_many) {
    map_passes += how_many * (map_cut ? parts(filters, d.filters_per_piece) : 1);
  });
  const double images = as_double(shape.N);
  sums.input_requested = 4 * images * as_double(input_words * map_passes);
  sums.filters_requested = 4 * images * as_double(blocks_y.count() * shape.filter_elements());
  return sums;
}

Bytes whole_sectors(std::int64_t elements) {
  return Bytes{sector_bytes * as_double(parts(elements, sector_words))};
}

// Blocks that follow each other in the grid have the same rows and other filters. Their requests are served
// together where their copies go past L1.
double reading_together(const ConvShape& shape, const Division& d) {
  const std::int64_t rows = !d.one_step ? 1 : d.grid_y > 1 ? d.rows_per_block : 0;
  const bool together = d.prefetch() && copies_begin_lines(static_cast<int>(rows * shape.W));
  return together ? as_double(d.grid_m) : 1;
}

}  // namespace

KernelDescription describe(const ConvShape& shape, const Config& config, const DeviceProfile& device,
                           const CodeRecord* code) {
  const Division d = divide_problem(shape, config);
  KernelDescription kernel;
  kernel.family = "chang_single";
  kernel.launch.blocks = d.grid_m * d.grid_y * d.images_in_grid;
  kernel.launch.threads = d.threads;
  kernel.launch.registers = code ? code->registers : cost::registers(d);
  kernel.launch.shared = Bytes{as_double(d.shared_bytes() + (code ? code->static_shared_bytes : 0))};
  kernel.code = code && code->mixes ? CodeSource::own : CodeSource::estimated;
  if (code) kernel.local_memory = Bytes{as_double(code->spill_bytes)};
  // One weight at a time, TILE_X x TILE_Y pixels.
  kernel.register_tile = RegisterTile{1, as_double(d.tile_x * d.tile_y)};

  const BlockProgram program(shape, d, device.schedulers_per_sm.value_or(4));
  const double images = as_double(parts(shape.N, d.images_in_grid));  // of the busiest block
  const GridSums sums = grid_sums(shape, d);
  kernel.fma_executed = as_double(sums.items) * threads_per_warp * (d.k * d.k * d.tile_x * d.tile_y);
  const CodeMix* mix =
      mix_of(code, kernel.fma_executed / as_double(kernel.launch.blocks * kernel.launch.threads));
  if (mix) {
    kernel.code_instructions = code_instructions(*mix);
    kernel.loop_instructions = loop_instructions(*mix);
  }
  // S17. A kernel of several steps reads its sizes, one of one step has them at compile time.
  kernel.constant_lines = mix && !d.one_step ? 1 : 0;
  kernel.phases = d.prefetch() ? prefetch_phases(program, images, mix) : volume_phases(program, images, mix);
  const double ffma_of_item = as_double(d.k * d.k * d.tile_x * d.tile_y);
  for (auto& phase : kernel.phases) {
    if (phase.stored > Bytes{}) phase.stores_apart = phase.warp.ffma / ffma_of_item;
  }
  kernel.fma_useful = as_double(shape.fmas());
  kernel.streams = {{.tensor = "input",
                     .unique = whole_sectors(shape.input_elements()),
                     .requested = Bytes{sums.input_requested},
                     .neighbours = reading_together(shape, d)},
                    {.tensor = "filters",
                     .unique = whole_sectors(shape.filter_elements()),
                     .requested = Bytes{sums.filters_requested},
                     .neighbours = as_double(d.grid_m > 1 ? 1 : d.grid_y)},
                    {.tensor = "output",
                     .written = true,
                     .unique = whole_sectors(shape.output_elements()),
                     .requested = Bytes{4 * as_double(shape.output_elements())},
                     .evicted_first = true,
                     .split = split_sectors(shape, d, kernel.launch, device),
                     .lines_apart = lines_apart(shape, d),
                     .filled_together = Bytes{4 * as_double(shape.output_elements() / shape.N)},
                     .filling_blocks = as_double(d.grid_m * d.grid_y)}};
  return kernel;
}

}  // namespace tilecast::chang_single
