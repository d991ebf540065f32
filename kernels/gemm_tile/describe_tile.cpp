#include "kernels/gemm_tile/describe_tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "kernels/gemm_tile/fetch_code.hpp"
#include "kernels/tile_rows.hpp"
#include "kernels/wavefronts.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::gemm_tile {
namespace {

// Integer, uniform and move instructions of a warp, by what they serve: read off the disassembly (nvcc 13.0,
// sm_90) of sgemm's 128 x 128 x 8, 256 x 128 x 8 and 128 x 256 x 8 tiles by cp.async, whose 50, 58 and 48 a
// step these give within 5 %. Through registers they vary more (49 and 74 of two specialisations of one
// tile).
constexpr double integer_at_start = 120;       // tile, place, first addresses, accumulators to zero
constexpr double integer_per_step = 38;        // stage pointers and their wrap, waits, the steps' counter
constexpr double integer_per_a_copy = 2;       // 64-bit address, predicate
constexpr double integer_per_matrix_copy = 2;  // likewise
constexpr double integer_per_store = 3;        // address, predicate
constexpr double integer_per_sum = 12;         // split: place of an output, address, additions
constexpr double control_per_step = 2, control_per_chunk = 1;

// Shared-memory wavefronts of a warp's accesses: no bank conflicts in any tile of the grid (index_test counts
// them lane by lane). Four rows or columns of operands, which lanes share; a copied float of A, 32 a
// wavefront, of B as many a lane as a copy takes; four sums.
constexpr int operand_wavefronts = 2, a_copy_wavefronts = 1, sum_wavefronts = 4;
int b_copy_wavefronts(const Geometry& g) {
  return g.vec_b;
}

double warps_of(const Geometry& g) {
  return static_cast<double>(g.threads) / threads_per_warp;
}

void add_width(SharedAccess& access, int floats, double instructions, double wavefronts_each) {
  (floats == 4 ? access.w128 : access.w32) += instructions;
  access.wavefronts += instructions * wavefronts_each;
}

// Copies of one step, averaged over the block's warps: a tile may have fewer than one for each thread.
struct Copies {
  double a = 0, b = 0, a_sectors = 0;
};
Copies copies_of(const Geometry& g, const Product& product) {
  Copies copies;
  copies.a = static_cast<double>(g.BM) * g.BK / g.vec_a / g.threads;
  copies.b = static_cast<double>(g.BN) * g.BK / g.vec_b / g.threads;
  const double aligned = aligned_share(product.depth);
  copies.a_sectors = copies.a * (4 * g.vec_a) * (aligned + 2 * (1 - aligned));
  return copies;
}

void add_copies(WarpCounts& warp, const Geometry& g, const TileWork& work, const Copies& copies,
                double times) {
  GlobalAccess& access = g.async ? warp.async_copy : warp.global_load;
  (g.vec_a == 4 ? access.w128 : access.w32) += times * copies.a;
  (g.vec_b == 4 ? access.w128 : access.w32) += times * copies.b;
  access.sectors += times * (copies.a_sectors + work.b.sectors * 32 / g.threads);
  // A's vectors are stored transposed, a float at a time. Of asynchronous copies only the wavefronts count
  // here: the instructions do above.
  const double a_stores = copies.a * g.vec_a;
  SharedAccess stores;
  add_width(stores, 1, times * a_stores, a_copy_wavefronts);
  add_width(stores, g.vec_b, times * copies.b, b_copy_wavefronts(g));
  if (!g.async) {
    warp.shared_store.w32 += stores.w32;
    warp.shared_store.w128 += stores.w128;
  }
  warp.shared_store.wavefronts += stores.wavefronts;
  warp.shared_load.w64 += times * work.b.table_loads;
  warp.shared_load.wavefronts += times * work.b.table_loads;
  warp.integer +=
      times * (copies.a * integer_per_a_copy + copies.b * work.b.integer_per_copy + work.b.integer_per_step);
}

WarpCounts step_of(const Geometry& g) {
  WarpCounts warp;
  warp.ffma = static_cast<double>(g.BK) * g.TM * g.TN;
  add_width(warp.shared_load, 4, g.BK * (g.TM / 4.0), operand_wavefronts);
  add_width(warp.shared_load, 4, g.BK * (g.TN / 4.0), operand_wavefronts);
  warp.barriers = !g.async && g.stages == 1 ? 2 : 1;
  warp.integer = integer_per_step;
  warp.control = control_per_step + control_per_chunk * (static_cast<double>(g.BK) / g.unroll - 1);
  return warp;
}

// What so many copies of a step cost its warp.
CodeCounts cost_of(double count, const Geometry& g, const TileWork& work, const Copies& copies) {
  const double all = copies.a + copies.b;
  if (all <= 0) return {};
  const bool gathers = work.b.table_loads > 0;
  const auto step = step_counts({copies.a, copies.b, g.vec_a, g.vec_b, g.async != 0, gathers});
  return CodeCounts{}.add(step, count / all);
}

// Cycles of a warp alone between a step's last load into registers and the wait for it: rows' loads are
// issued behind the multiply-adds, gathered ones before.
double behind_loads(const TileWork& work, const CodeCounts& compute) {
  constexpr double of_rows = 75;
  return work.b.table_loads > 0 ? compute.chain_cycles : of_rows;
}

// What `whole` can do without of `part`, which is a typical cost: no cost becomes negative, and a warp alone
// takes no less for the rest than its scheduler does.
CodeCounts separable(const CodeCounts& whole, const CodeCounts& part) {
  const auto share = [](double there, double wanted) {
    return wanted > 0 ? std::clamp(there / wanted, 0.0, 1.0) : 1;
  };
  auto c = CodeCounts{}.add(
      part, std::min({share(whole.issued - whole.ffma, part.issued), share(whole.integer, part.integer),
                      share(whole.pipe_cycles, part.pipe_cycles)}));
  const auto busy = [](const CodeCounts& p) { return p.issued + p.port_cycles + p.return_cycles; };
  c.chain_cycles = std::min(c.chain_cycles, std::max(0.0, whole.chain_cycles - busy(whole)) + busy(c));
  return c;
}

// A step that makes so many copies, none or all: with those that the code made when it was read, which may
// have been in a launch of few steps or of another tile, taken out of the multiply-adds' loop. They are
// issued in one go at the step's beginning (of asynchronous ones) or end: warps that leave a barrier together
// make theirs together.
CodeSegments step_code(const Geometry& g, const TileWork& work, const CodeMix& mix, const Copies& copies,
                       double ffma, bool fetches) {
  const double wanted = fetches ? copies.a + copies.b : 0;
  CodeSegments code{counts_of(mix, {{fetches ? MixPart::round : MixPart::last, 1}}), core_of(mix, ffma)};
  const auto held = separable(code.compute, cost_of(code.compute.copies, g, work, copies));
  const double missing = wanted - code.compute.copies - code.around.copies;
  code.compute.add(held, -1);
  if (fetches) code.around.add(held);
  code.around.add(cost_of(fetches ? missing : -code.around.copies, g, work, copies));
  if (!g.async) {
    const double waits = code.around.load_waits + code.compute.load_waits;
    if (!fetches) {
      code.around.load_waits = code.compute.load_waits = 0;
    } else if (waits < 1) {
      code.around.load_waits += 1 - waits;
      code.around.load_distance += (1 - waits) * behind_loads(work, code.compute);
    }
  }
  return code;
}

// What a warp's store of C touches: sectors, lines that it fills in part, and whole sectors of which it has
// no other in the line.
struct StoreCost {
  double sectors = 0, masks = 0, lone = 0;
};

// Of the words [begin, end) whether those in the line of one of them are a sector.
bool sector_in_line(std::int64_t begin, std::int64_t end, std::int64_t word) {
  constexpr std::int64_t sector = sector_words, line = line_words;
  const auto from = std::max(begin, word / line * line), to = std::min(end, (word / line + 1) * line);
  return from % sector == 0 && to - from == sector;
}

// A row of lanes stores groups of four columns side by side, the first word of each or all of them. Rows
// begin anywhere; of several images each row's pixels end after row_stride columns, and go on elsewhere.
StoreCost tile_store(const Geometry& g, const TileWork& work) {
  constexpr std::int64_t sector = sector_words, line = line_words;
  const std::int64_t span = 4 * (g.lanes_n - 1) + g.vec_c;
  StoreCost sum;
  for (std::int64_t row = 0; row < line; ++row) {
    const auto begin = row * (work.row_stride % line) % line, end = begin + span;
    const auto first = begin / line, last = (end - 1) / line;
    const auto lines = last - first + 1;
    if (g.vec_c > 1) {
      sum.lone += sector_in_line(begin, end, begin) ? 1 : 0;
      sum.lone += last > first && sector_in_line(begin, end, end - 1) ? 1 : 0;
    }
    sum.sectors += static_cast<double>((end - 1) / sector - begin / sector + 1);
    if (g.vec_c == 1)
      sum.masks += static_cast<double>(lines);
    else if (begin % sector != 0 || end % sector != 0)
      sum.masks += static_cast<double>(std::min<std::int64_t>(lines, 2));
  }
  // Where an image ends inside a sector, that sector and one elsewhere are stored in part.
  const double in_sector = 1 - static_cast<double>(std::gcd(work.row_stride, sector)) / sector;
  const double breaks = work.product.columns > work.row_stride
                            ? in_sector * static_cast<double>(span) / static_cast<double>(work.row_stride)
                            : 0;
  const double rows = static_cast<double>(g.lanes_m) / line;
  return {rows * sum.sectors + g.lanes_m * breaks, rows * sum.masks + g.lanes_m * breaks, rows * sum.lone};
}

// Of 32 lanes side by side, four columns each; four stores of a word each, one right behind the other, join.
StoreCost split_store(const Geometry& g, const TileWork& work) {
  const double unaligned = std::max(1.0, 128.0 / g.BN) * (1 - aligned_share(work.row_stride));
  return g.vec_c == 1 ? StoreCost{4 + unaligned, unaligned / 2} : StoreCost{16 + unaligned, 2 * unaligned};
}

// Of a row of the tile: what a warp's lanes fill and the warps beside it go on with, at least a line; of
// split tiles what a warp fills of the sum.
Bytes written_piece(const Geometry& g, bool split) {
  constexpr double of_sum = 512;
  const double lanes = 4.0 * group_step_n(g) * (g.TN == 4 ? g.warps_n : 1);
  return Bytes{std::min(4.0 * g.BN, split ? of_sum : std::max<double>(line_bytes, lanes))};
}

// Of threads with several groups of columns a warp goes through all rows of one before it comes to the next.
LineParts line_parts(const Geometry& g, bool split) {
  constexpr double store_bytes = 512;  // of a warp's 32 lanes with four words each
  const double lanes = 4.0 * group_step_n(g);
  if (split || g.vec_c == 1 || g.TN == 4 || lanes >= line_bytes) return {};
  return {line_bytes / lanes, Bytes{g.TM * store_bytes * warps_of(g)}};
}

// A row of lanes stores pieces of a row of the tile, its neighbours' the pieces beside them: of threads with
// one group of columns at the same time, of others when they have stored all rows of the groups between:
// half of what the thread stores.
std::optional<double> between_stores(const Geometry& g, bool split) {
  if (split || g.vec_c == 1) return std::nullopt;
  return g.TN == 4 ? 0 : 4.0 * g.BM * g.BN / 2;
}

Phase store_phase(const Geometry& g, const TileWork& work) {
  Phase phase;
  phase.name = work.split > 1 ? "sum and store" : "store";
  phase.role = PhaseRole::epilogue;
  phase.active_warps = warps_of(g);
  WarpCounts& warp = phase.warp;
  const double split = static_cast<double>(work.split);
  const double stores = static_cast<double>(g.TM) * g.TN / g.vec_c / split;
  (g.vec_c == 4 ? warp.global_store.w128 : warp.global_store.w32) = stores;
  // What lies beyond the product is not stored, though the instructions are issued.
  const double elements = std::min<double>(g.BM, static_cast<double>(work.product.rows)) *
                          std::min<double>(g.BN, static_cast<double>(work.product.columns));
  const double present = elements / (static_cast<double>(g.BM) * g.BN);
  const auto of_store = work.split > 1 ? split_store(g, work) : tile_store(g, work);
  warp.global_store.sectors = present * stores * of_store.sectors;
  warp.global_store.masks = present * stores * of_store.masks;
  warp.global_store.lone_sectors = present * stores * of_store.lone;
  warp.integer = stores * integer_per_store;
  phase.stored = Bytes{4.0 * elements / split};
  if (work.split > 1) {
    const double fours = static_cast<double>(g.TM) * g.TN / 4, passes = g.TM / g.pass_rows;
    add_width(warp.shared_store, 4, fours, sum_wavefronts);
    add_width(warp.shared_load, 4, fours, 4);  // other blocks' parts, consecutive lanes
    warp.integer += fours / split * integer_per_sum + fours * 5;
    warp.barriers = 2 * passes + 1;
    warp.control = passes;
    // A pass: everybody's rows are there (cluster barrier), each thread adds up its share of them, four other
    // blocks' at a time, and nobody overwrites them before (cluster barrier).
    const double threads = static_cast<double>(g.threads);
    const double share = static_cast<double>(g.pass_rows) * thread_rows(g) * g.BN / 4 / split;
    const double shares = std::max(1.0, share / threads);
    phase.cluster_warps = std::ceil(std::min(share, threads) / 32);
    phase.cluster_barriers = 2 * passes;
    phase.cluster_barriers_behind =
        passes + 1;  // the first behind the steps' loads, others behind a pass's stores
    // The own part and the first of the others' come together; then fours of others, what is left in two
    // rounds.
    phase.cluster_reads = passes * shares * (split > 2 ? 1 + std::ceil((split - 1) / 4) : 1);
    phase.cluster_shares = passes * shares;
    phase.cluster_bytes = Bytes{4.0 * g.BM * g.BN * (1 - 1 / split)};
  }
  return phase;
}

// Of a step's rows of A and B the mean share that is there: the last step's may lie beyond the depth.
double rows_there(const Geometry& g, const Product& product) {
  const auto steps = (product.depth + g.BK - 1) / g.BK;
  return static_cast<double>(product.depth) / static_cast<double>(steps * g.BK);
}

// A4. What a step's rows of A touch of L2, in what they hold: they begin anywhere in a sector that the depth
// allows. Rows that one step holds whole follow each other.
double a_sectors(const Geometry& g, const Product& product) {
  if (product.depth <= g.BK) return 1;
  const auto begins = std::gcd<std::int64_t>(product.depth, sector_words);
  return 1 + static_cast<double>(sector_words - begins) / g.BK;
}

// What the busiest block goes through.
struct BlockSteps {
  int steps = 0, ahead = 0;  // those of which the data are asked for before the first
  double rows = 0;           // of its tile
  Bytes fetched{};           // in a step
  Copies copies;
};

BlockSteps block_steps(const Geometry& g, const TileWork& work, int steps_of_all) {
  BlockSteps block;
  const auto split = static_cast<int>(work.split);
  block.steps = (steps_of_all + split - 1) / split;
  block.ahead = std::min(block.steps, g.async ? g.stages - 1 : 1);
  block.rows = std::min<double>(g.BM, static_cast<double>(work.product.rows));
  block.fetched = rows_there(g, work.product) * (work.b.fetched + Bytes{4.0 * block.rows * g.BK});
  block.copies = copies_of(g, work.product);
  return block;
}

// A16. Where all data are asked for before the first step, warps jump over the code of a step's copies, in
// front of its multiply-adds.
void set_code_size(KernelDescription& d, const Geometry& g, const TileWork& work, const BlockSteps& block,
                   const CodeMix& mix) {
  d.code_instructions = code_instructions(mix);
  d.loop_instructions = loop_instructions(mix);
  if (block.steps > block.ahead) return;
  const double seen = mix[MixPart::round].code - mix[MixPart::last].code;
  if (mix[MixPart::round].code > 0 && seen > 0) {
    d.code_instructions -= seen;
    d.loop_instructions -= seen;
    d.skipped_instructions = seen;
  } else {
    const double copies = block.copies.a + block.copies.b;
    d.skipped_instructions = cost_of(copies, g, work, block.copies).issued;
  }
  d.before_skipped = mix[MixPart::start].code + mix[MixPart::copy].code;
}

Phase first_loads(const Geometry& g, const TileWork& work, const BlockSteps& block, const CodeMix* mix) {
  Phase phase;
  phase.name = "first loads";
  phase.role = PhaseRole::prologue;
  phase.active_warps = warps_of(g);
  phase.warp.integer = integer_at_start;
  phase.warp.barriers = 1 + work.b.barriers_at_start;
  add_copies(phase.warp, g, work, block.copies, block.ahead);
  phase.fetched = block.fetched * static_cast<double>(block.ahead);
  phase.exposed_latencies = 1;
  if (!mix) return phase;
  const double issued = phase.warp.async_copy.instructions() + phase.warp.global_load.instructions();
  phase.code = {counts_of(*mix, {{MixPart::start, 1}, {MixPart::copy, issued}}), {}};
  // The first step's data are waited for behind the copies of those after it.
  if (g.async && block.ahead > 1)
    phase.cycles_until_wait =
        (block.ahead - 1) * counts_of(*mix, {{MixPart::copy, issued / block.ahead}}).chain_cycles;
  return phase;
}

// The steps that ask for data, if any, and the last ones.
void add_steps(std::vector<Phase>& phases, const Geometry& g, const TileWork& work, const BlockSteps& block,
               const CodeMix* mix) {
  Phase last;
  last.name = "last steps";
  last.active_warps = warps_of(g);
  last.fetch_distance = block.ahead;
  last.warp = step_of(g);
  if (block.steps > block.ahead) {
    Phase& steady = phases.emplace_back(last);
    steady.name = "steps";
    steady.trips = block.steps - block.ahead;
    add_copies(steady.warp, g, work, block.copies, 1);
    steady.fetched = block.fetched;
    if (mix) steady.code = step_code(g, work, *mix, block.copies, steady.warp.ffma, true);
  }
  last.trips = block.ahead;
  if (mix) last.code = step_code(g, work, *mix, block.copies, last.warp.ffma, false);
  phases.push_back(last);
}

void add_stores(std::vector<Phase>& phases, const Geometry& g, const TileWork& work, const CodeMix* mix) {
  auto store = store_phase(g, work);
  if (mix) {
    store.code = {counts_of(*mix, {{MixPart::end, 1}}), {}};
    // The sum over a cluster is in the same phase as its stores.
    if (work.split > 1)
      store.code->around.add(counts_of(*mix, {{MixPart::sum, 1}}));
    else if (const auto before = before_stores(store, *mix))
      phases.push_back(*before);
  }
  phases.push_back(store);
}

// A21. An SM has the same part of all tiles; those that run there at the same time are one to three apart in
// the grid's order, in which the tiles of the same pixels follow each other.
void set_l1_lines(KernelDescription& d, const Geometry& g, const TileWork& work, const Tiles& tiles,
                  int steps_of_all) {
  constexpr int wide = 4, apart = 3;  // floats of a copy that goes past L1
  const double of_block = static_cast<double>(steps_of_all) / static_cast<double>(work.split);
  auto &input = d.streams[0], &filters = d.streams[1];
  if (!g.async || g.vec_b != wide) {
    input.l1_lines = of_block * rows_there(g, work.product) * work.b.fetched.value() / line_bytes;
    for (int tile = 1; tile <= apart; ++tile)
      input.same_beside +=
          std::max(0.0, 1 - static_cast<double>(tile) / static_cast<double>(tiles.m)) / apart;
  }
  if (!g.async || g.vec_a != wide) {
    const double depth = static_cast<double>(work.product.depth) / static_cast<double>(work.split);
    filters.l1_lines = g.BM * std::max(1.0, depth / line_words);
    filters.same_elsewhere = 1 / static_cast<double>(tiles.m);
  }
}

void set_streams(KernelDescription& d, const Geometry& g, const TileWork& work, const Tiles& tiles,
                 int steps_of_all, double rows) {
  const double images = static_cast<double>(work.images);
  // A step is fetched once by one block of each tile.
  const double all_steps = images * static_cast<double>(tiles.m * tiles.n) * steps_of_all;
  const double filters = 4.0 * static_cast<double>(work.product.rows * work.product.depth);
  const double strips = images * static_cast<double>(tiles.n);
  const double output = 4.0 * images * static_cast<double>(work.product.rows * work.product.columns);
  const double image = 4.0 * static_cast<double>(work.product.rows * work.row_stride);
  d.streams = {{.tensor = "input",
                .unique = work.input_unique,
                .requested = rows_there(g, work.product) * all_steps * work.b.fetched,
                .readers = static_cast<double>(tiles.m)},
               // Tiles of the same pixels come one after the other: each strip of pixels walks all filters.
               {"filters", false, Bytes{filters}, a_sectors(g, work.product) * filters * Bytes{strips},
                strips, static_cast<double>(tiles.m * work.split),
                Bytes{filters + output / strips} + work.input_unique / strips},
               {.tensor = "output",
                .written = true,
                .unique = Bytes{output},
                .requested = Bytes{output},
                .filled_together = Bytes{image},
                .filling_blocks = strips * static_cast<double>(tiles.m * work.split) * image / output}};
  set_l1_lines(d, g, work, tiles, steps_of_all);
  // Of each of its rows a block reads a step's part, and the next step's later.
  if (steps_of_all > 1) d.streams[1].read_piece = Bytes{4.0 * g.BK};
  d.streams.back().piece = written_piece(g, work.split > 1);
  d.streams.back().line_parts = line_parts(g, work.split > 1);
  // Of threads with one group of columns a row is stored by warps side by side, at the same time: what comes
  // at once of lines that two of them fill (map_strides.csv).
  constexpr double of_warps_beside = 0.7;
  split_rows(d.streams.back(),
             {.row = work.row_stride,
              .columns = g.BN,
              .span = work.split > 1 ? 128.0 : static_cast<double>(group_step_n(g)),
              .joined = g.TN == 4 ? of_warps_beside : 0,
              .tile_bytes = rows * 4 * std::min<double>(g.BN, static_cast<double>(work.product.columns)),
              .between_stores = between_stores(g, work.split > 1),
              .blocks_to_next = static_cast<double>(tiles.m * work.split)});
  // Word by word a thread goes through all of its rows before it comes to a row's next word.
  if (g.vec_c == 1 && work.split == 1) d.streams.back().lines_apart = 1;
}

}  // namespace

Tiles tiles_of(const Product& product, const Geometry& g) {
  return {(product.rows + g.BM - 1) / g.BM, (product.columns + g.BN - 1) / g.BN};
}

std::optional<Unsupported> grid_refusal(const Product& product, const Tile& tile) {
  const auto rows = (product.rows + tile.BM - 1) / tile.BM;
  const auto columns = (product.columns + tile.BN - 1) / tile.BN;
  const auto blocks = rows * columns * tile.split_k;
  if (blocks > std::numeric_limits<std::int32_t>::max())
    return Unsupported{fmt::format("{} blocks: a grid has at most 2^31 - 1", blocks)};
  return std::nullopt;
}

OperandB matrix_rows(const Geometry& g, const Product& product) {
  OperandB b;
  // Runs of consecutive floats that one warp's copy takes, each from one row.
  const int run = std::min(32, b_lanes(g)) * g.vec_b;
  const double misaligned = 1 - aligned_share(product.columns);
  b.sectors = static_cast<double>(g.BK) * g.BN / run * (run / 8.0 + misaligned);
  b.fetched = Bytes{4.0 * g.BK * g.BN};
  b.integer_per_copy = integer_per_matrix_copy;
  return b;
}

KernelDescription describe_tile(const Geometry& g, const TileWork& work, const CodeRecord* code) {
  const Tiles tiles = tiles_of(work.product, g);
  KernelDescription d;
  d.launch.blocks = tiles.m * tiles.n * work.split * work.images;
  d.launch.threads = g.threads;
  d.launch.cluster = work.split;
  d.launch.registers = code ? code->registers : registers_estimate(g);
  d.launch.shared = Bytes{4.0 * (tile_floats(g) + static_cast<double>(work.table_floats) * g.BK) +
                          (code ? static_cast<double>(code->static_shared_bytes) : 0)};
  d.code = code && code->mixes ? CodeSource::own : CodeSource::estimated;
  d.register_tile = RegisterTile{static_cast<double>(g.TM), static_cast<double>(g.TN)};
  d.stored_strip = StoredStrip{static_cast<double>(g.BN), static_cast<double>(work.product.rows)};

  const auto steps_of_all = static_cast<int>((work.product.depth + g.BK - 1) / g.BK);
  const double images = static_cast<double>(work.images);
  d.fma_executed = images * static_cast<double>(tiles.m * tiles.n) * g.BM * g.BN * steps_of_all * g.BK;
  d.fma_useful = work.fma_useful;

  const CodeMix* mix = mix_of(code, d.fma_executed / static_cast<double>(d.launch.blocks * d.launch.threads));
  const auto block = block_steps(g, work, steps_of_all);
  if (mix) set_code_size(d, g, work, block, *mix);
  d.phases.reserve(5);
  d.phases.push_back(first_loads(g, work, block, mix));
  add_steps(d.phases, g, work, block, mix);
  add_stores(d.phases, g, work, mix);
  set_streams(d, g, work, tiles, steps_of_all, block.rows);
  // The last strip of pixels.
  d.edge_blocks = static_cast<double>(tiles.m * work.split);
  d.edge_stored = tiles.n > 1 ? static_cast<double>(work.product.columns - (tiles.n - 1) * g.BN) / g.BN : 1;
  if (code) d.local_memory = Bytes{static_cast<double>(code->spill_bytes)};
  if (code && code->mixes) set_core_paces(d, *code->mixes);
  return d;
}

}  // namespace tilecast::gemm_tile
