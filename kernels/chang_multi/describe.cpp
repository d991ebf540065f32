// describe(): what the kernel issues and moves, from its geometry. FFMA, loads, stores, copies and barriers
// follow the source; in the disassembly (nvcc 13.0, sm_90) of the 22 specialisations of chang_multi_cases.hpp
// their numbers are exactly these. Address arithmetic is what the compiler makes of it: the constants below
// reproduce those 22 rounds within 25 % (within 10 % for most), of which FFMA are four to ten times as many
// in a tile that is worth running.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/chang_multi/arrangement.hpp"
#include "kernels/chang_multi/chang_multi.hpp"
#include "kernels/chang_multi/slice_requests.hpp"
#include "kernels/tile_rows.hpp"
#include "kernels/wavefronts.hpp"
#include "model/device/occupancy.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::chang_multi {
namespace {

using Words = std::array<std::int32_t, 32>;

// Integer and move instructions, by what they serve (see the head of this file).
constexpr double integer_per_line = 9;            // ring pointers and their wrap, the line counter
constexpr double integer_per_lines_together = 9;  // K = 1: once a turn of several lines
constexpr double integer_per_round = 57;          // waits, ring positions, the lines of the round
constexpr double integer_per_segment_eight = 8;   // ring row and limit of eight weights
constexpr double integer_per_filter_copy = 3;     // 64-bit address, predicate
constexpr double integer_per_line_fetch = 25;     // channel and row of a line, its slot, address, limit
constexpr double integer_per_line_fetch_k1 = 20;  // a channel is a line
constexpr double integer_per_line_copy = 1;       // predicate
constexpr double integer_at_start = 150;          // place, first addresses, accumulators to zero
constexpr double integer_per_output_place = 16;   // once per pixel of a thread: division by the map's width
constexpr double integer_per_store = 5;
constexpr double control_per_round = 6, control_per_line = 1;

// The lanes' places, once per call: every access below starts from them.
struct Warp {
  std::array<Place, 32> lane;
};

Warp first_warp(const Geometry& g) {
  Warp warp;
  for (int lane = 0; lane < 32; ++lane)
    warp.lane[lane] = place(g, lane);
  return warp;
}

template <class Address>
int wavefronts_of(const Warp& warp, int words, const Address& address) {
  Words word;
  for (int lane = 0; lane < 32; ++lane)
    word[lane] = address(warp.lane[lane]);
  return wavefronts(word, words);
}

// Reads of one line: the window in 128-bit loads and, as K is odd, a 64-bit one for what is left over; the
// weights of each tap in loads as wide as the thread tile.
SharedAccess line_reads(const Geometry& g, const Warp& warp) {
  const int window = g.thread_p + g.K - 1;
  SharedAccess reads;
  const auto pixels = [&](const Place& at) { return at.slice * g.slice_floats + line_at(g, 0, at.p); };
  const auto weights = [&](const Place& at) { return at.slice * g.slice_floats + filter_at(g, 0, at.m); };
  reads.w128 = window / 4;
  reads.wavefronts = reads.w128 * wavefronts_of(warp, 4, pixels);
  if (window % 4 != 0) {
    reads.w64 = 1;
    reads.wavefronts += wavefronts_of(warp, 2, pixels);
  }
  const int width = std::min(g.thread_m, 4);
  const double loads = g.K * (g.thread_m / width);
  (width == 4 ? reads.w128 : width == 2 ? reads.w64 : reads.w32) += loads;
  reads.wavefronts += loads * wavefronts_of(warp, width, weights);
  return reads;
}

struct FetchCounts {
  double filter_copies, segment_eights;  // issued by a warp in a round
  double eights, lines;                  // shares of filters and lines that there are to copy
  double line_fetches, line_copies;
  double sectors;
  double wavefronts;  // of the writes to shared memory
};

// What there is to copy of what the slices that take part go through in `trips` rounds.
void set_shares(FetchCounts& f, const Geometry& g, const Params& params, int slices, int trips) {
  // Weights beyond the slice's lines are copied, too, those beyond the filter's end are not.
  const double rows = static_cast<double>(trips) * g.segment;
  double eights = 0;
  for (int slice = 0; slice < slices; ++slice) {
    const double left = params.taps - static_cast<double>(slice) * params.lines_per_slice * g.K;
    eights += std::ceil(std::clamp(left, 0.0, rows) / 8);
  }
  f.eights = eights / (slices * trips * divide_up(g.segment, 8));
  f.lines = std::min(1.0, params.lines * g.K / (slices * rows));
}

FetchCounts fetch_counts(const ConvShape& shape, const Geometry& g, const Warp& warp, const Params& params,
                         int slices, int trips) {
  const int taps = params.taps;
  FetchCounts f{};
  f.segment_eights = divide_up(g.segment, 8 * copy_groups_r(g));
  f.filter_copies = f.segment_eights * divide_up(g.M_tile, copy_groups_m(g));
  f.line_fetches = static_cast<double>(g.segment) / g.K / line_groups(g);
  f.line_copies = f.line_fetches * divide_up(g.line_vectors, line_lanes(g));

  // Eight weights are one sector where filters start at one (and so do slices), else mostly two.
  const double aligned = taps % 8 == 0 ? 1 : taps % 4 == 0 ? 0.5 : taps % 2 == 0 ? 0.25 : 0.125;
  const double filter_sectors = f.filter_copies * 4 * (aligned + 2 * (1 - aligned));
  const int runs = 32 / line_lanes(g);
  const bool rows_aligned = (shape.K == 1 ? shape.H * shape.W : shape.W) % 8 == 0;
  const double run_sectors =
      std::min(line_lanes(g), g.line_vectors) * g.vector / 8.0 + (rows_aligned ? 0 : 0.875);
  set_shares(f, g, params, slices, trips);
  f.sectors = f.eights * filter_sectors + f.lines * f.line_copies * runs * run_sectors;

  const int filter_writes = wavefronts_of(warp, 1, [&](const Place& at) {
    const int group = at.index / 8;
    return at.slice * g.slice_floats +
           filter_at(g, group / copy_groups_m(g) * 8 + at.index % 8, group % copy_groups_m(g));
  });
  const int line_writes = wavefronts_of(warp, g.vector, [&](const Place& at) {
    return at.slice * g.slice_floats + line_at(g, 0, at.index % line_lanes(g) * g.vector);
  });
  f.wavefronts = f.eights * f.filter_copies * filter_writes + f.lines * f.line_copies * line_writes;
  return f;
}

void add_fetch(WarpCounts& warp, const FetchCounts& f, const Geometry& g, double times) {
  warp.async_copy.w32 += times * f.eights * f.filter_copies;
  (g.vector == 4   ? warp.async_copy.w128
   : g.vector == 2 ? warp.async_copy.w64
                   : warp.async_copy.w32) += times * f.lines * f.line_copies;
  warp.async_copy.sectors += times * f.sectors;
  // The copies' writes to shared memory; the instructions are counted above.
  warp.shared_store.wavefronts += times * f.wavefronts;
  warp.integer +=
      times * (integer_per_segment_eight * f.segment_eights + integer_per_filter_copy * f.filter_copies +
               (g.K == 1 ? integer_per_line_fetch_k1 : integer_per_line_fetch) * f.line_fetches +
               integer_per_line_copy * f.line_copies);
}

// The memory pipe's cycles of the copies in these counts: how many there are depends on the layer too, not
// only on the code.
void set_copy_cycles(CodeCounts& code, const WarpCounts& warp) {
  // Writes to shared memory without conflicts are among what a copy takes beyond its sectors (A14).
  const auto& copies = warp.async_copy;
  const double writes = copies.w32 + 2 * copies.w64 + 4 * copies.w128;
  code.pipe_cycles =
      copies.sectors / sectors_per_wavefront + std::max(0.0, warp.shared_store.wavefronts - writes);
}

// A14. A similar code's round with so many copies: what they are in it, beyond a round without any, goes with
// their number.
CodeMix with_copies(CodeMix mix, double copies) {
  const auto& without = mix[MixPart::last];
  auto& round = mix[MixPart::round];
  if (round.times <= 0 || without.times <= 0 || round.unit.copies <= 0) return mix;
  const double more = copies / round.unit.copies - 1;
  for (auto count :
       {&CodeCounts::issued, &CodeCounts::integer_mad, &CodeCounts::integer, &CodeCounts::uniform,
        &CodeCounts::memory, &CodeCounts::copies, &CodeCounts::pipe_cycles, &CodeCounts::queue_cycles,
        &CodeCounts::port_cycles, &CodeCounts::queue_waits, &CodeCounts::chain_cycles})
    round.unit.*count += more * std::max(0.0, round.unit.*count - without.unit.*count);
  return mix;
}

// Elements of one channel that the K lines of all tiles ask for, and how many of them L2 is asked for: where
// rows are shorter than a tile its lines overlap, and L1 has what an earlier line of the channel fetched.
struct InputReads {
  double copied = 0, asked = 0;
};

InputReads input_reads(const ConvShape& shape, const Geometry& g, std::int64_t tiles) {
  const std::int64_t run = g.Wx_tile + g.K - 1, channel = shape.H * shape.W;
  // Sum over tiles of min(length, channel - start), start = tile * Wx_tile + ahead.
  const auto clipped = [&](std::int64_t ahead, std::int64_t length) {
    const std::int64_t room = channel - ahead - length;
    std::int64_t tile = room < 0 ? 0 : std::min(tiles, room / g.Wx_tile + 1);
    double sum = static_cast<double>(tile * length);
    for (; tile < tiles && ahead + tile * g.Wx_tile < channel; ++tile)
      sum += static_cast<double>(channel - ahead - tile * g.Wx_tile);
    return sum;
  };
  InputReads reads;
  for (std::int64_t i = 0; i < shape.K; ++i)
    reads.copied += clipped(i * shape.W, run);
  const bool overlap = shape.W < run;
  reads.asked = overlap ? clipped(0, (shape.K - 1) * shape.W + run) : reads.copied;
  return reads;
}

// A14. The turns before the first computation: all launches make stages - 1 of them, those of few rounds some
// that fetch nothing.
struct FirstTurns {
  CodeCounts fetching, others;  // each
};

FirstTurns first_turns(const CodeMix& mix) {
  FirstTurns turns;
  turns.others.issued = 14;  // medians of machine codes (A14)
  turns.others.chain_cycles = 124;
  const auto& seen = mix[MixPart::fetch];
  turns.fetching = seen.unit;
  const double fetching = mix[MixPart::round].times + mix[MixPart::last].times;
  if (fetching <= 0 || fetching >= seen.times) return turns;
  turns.fetching = CodeCounts{}.add(seen.unit, seen.times / fetching);
  const double others = seen.times / fetching - 1;
  for (auto count : {&CodeCounts::issued, &CodeCounts::chain_cycles}) {
    // Nor does a turn that fetches take less.
    turns.fetching.*count =
        std::max(turns.others.*count, turns.fetching.*count - others * turns.others.*count);
  }
  return turns;
}

// A19. Lines in which the S bytes of each filter lie that a slice fetches in a round: they begin with a
// sector. Of filters that are shorter than a line several share one.
double filter_lines(double filters, const Geometry& g, const Params& params) {
  const double bytes = 4.0 * params.taps;
  if (bytes < line_bytes) return filters * bytes / line_bytes;
  const double run = 4.0 * g.segment;
  const bool aligned = params.taps % line_words == 0;
  return filters * std::max(run / line_bytes, 1 + (aligned ? 0 : (run - sector_bytes) / line_bytes));
}

// What a tile that is not cut off stores: words, sectors that its warps' stores touch, lines of which they
// fill a sector in part, and what is fewer of both where pieces side by side are sent together (S6).
struct TileStores {
  double words = 0, sectors = 0, masks = 0, joined = 0;
};

// A warp stores 32 positions of a filter; the K - 1 rightmost of each row of the map are not stored, so that
// what it stores is in one piece.
TileStores tile_stores(const ConvShape& shape, const Geometry& g, double filters) {
  const auto positions = std::min<std::int64_t>(g.Wx_tile, shape.out_h() * shape.W);
  const auto words = positions / shape.W * shape.out_w() + std::min(positions % shape.W, shape.out_w());
  // Pieces begin at a filter's first word and so many rows' K - 1 before a multiple of 32.
  const auto begin = std::gcd(std::gcd<std::int64_t>(g.K - 1, sector_words), shape.out_h() * shape.out_w());
  const double cut = 1 - static_cast<double>(begin) / sector_words;  // sectors that two pieces share, a piece
  const auto pieces = static_cast<double>((positions + threads_per_warp - 1) / threads_per_warp);
  // Of two pieces side by side; experiments/joined_stores.csv: of the sectors that two have parts of the
  // profiler counts so many as one, mean of 20 tiles (0.46 to 0.9).
  constexpr double together = 0.7;
  return {.words = filters * static_cast<double>(words),
          .sectors = filters * (static_cast<double>(words) / sector_words + pieces * cut),
          .masks = filters * 2 * pieces * cut,
          .joined = filters * together * 3 * cut * (pieces - 1)};
}

// Spilled registers come back from L1. Of a trip's waits for memory one is for what it fetched, if any.
void wait_for_spills(KernelDescription& kernel, const CodeRecord& code, const DeviceProfile& device) {
  if (code.spill_bytes == 0 || !device.l1_latency.present()) return;
  for (auto& phase : kernel.phases) {
    auto& around = phase.code->around;
    around.chain_cycles += std::max(0.0, around.long_waits - 1) * device.l1_latency.get().value();
  }
}

double registers_estimate(const Arrangement& arranged) {
  const Geometry& g = arranged.geometry;
  // Accumulators, window, one tap's weights, about 40 for addresses and state (26 more in the unrolled K = 1
  // loop).
  const int estimate =
      g.thread_m * g.thread_p + round_up(g.thread_p + g.K - 1, 4) + g.thread_m + (g.K == 1 ? 66 : 40);
  return static_cast<double>(std::min<std::int64_t>(round_up(estimate, 8), arranged.register_limit));
}

// What the block with the most work goes through, and what a round of its active slices asks of L2.
struct BlockWork {
  int active_warps = 0, active_slices = 0;
  int trips = 0, ahead = 0;   // rounds, and those of which the data are asked for before the first
  double lines_per_trip = 0;  // of a warp
  double filters = 0;
  FetchCounts fetch{};
  InputReads input;
  double bytes_per_trip = 0;
  double lines_of_l1 = 0;  // a round
};

BlockWork block_work(const ConvShape& shape, const Arrangement& arranged, const Warp& warp) {
  const Geometry& g = arranged.geometry;
  const Params& params = arranged.params;
  BlockWork work;
  // Who has lines: slices in order until they run out; slices that share a warp go through its first one's
  // rounds.
  const int warp_slices = g.slices_per_warp, slice_warps = g.warps_m * g.warps_p;
  double warp_lines = 0;  // summed over warps
  for (int slice = 0; slice < g.slices; slice += warp_slices) {
    const int lines = std::min(params.lines_per_slice, params.lines - slice * params.lines_per_slice);
    if (lines <= 0) break;
    warp_lines += slice_warps * lines;
    work.active_warps += slice_warps;
    work.active_slices += warp_slices;
  }
  work.trips = rounds(g, std::min(params.lines_per_slice, params.lines));
  work.ahead = std::min(g.stages - 1, work.trips);
  work.lines_per_trip = warp_lines / work.active_warps / work.trips;

  work.fetch = fetch_counts(shape, g, warp, params, work.active_slices, work.trips);
  work.input = input_reads(shape, g, arranged.grid_x);
  const double input_bytes =
      4 * work.input.asked * static_cast<double>(shape.C) / static_cast<double>(arranged.grid_x);
  work.filters = std::min<double>(params.tile_filters, static_cast<double>(shape.M));
  const double filter_bytes = 4.0 * work.filters * params.taps;
  work.bytes_per_trip = (input_bytes + filter_bytes) / work.trips;
  work.lines_of_l1 =
      work.active_slices * filter_lines(work.filters, g, params) + input_bytes / work.trips / line_bytes;
  return work;
}

WarpCounts round_counts(const Geometry& g, const BlockWork& work, const Warp& warp) {
  const double lines = work.lines_per_trip;
  const SharedAccess reads = line_reads(g, warp);
  WarpCounts counts;
  counts.ffma = lines * g.K * g.thread_m * g.thread_p;
  counts.shared_load = {lines * reads.w32, lines * reads.w64, lines * reads.w128, lines * reads.wavefronts};
  counts.integer = lines * (g.K == 1 ? integer_per_lines_together / lines_together(g) : integer_per_line) +
                   integer_per_round;
  counts.control =
      lines * (g.K == 1 ? control_per_line / lines_together(g) : control_per_line) + control_per_round;
  counts.barriers = g.slice_threads > threads_per_warp ? 1 : 0;
  return counts;
}

Phase first_loads(const Geometry& g, const BlockWork& work, const CodeMix* mix) {
  Phase phase;
  phase.name = "first loads";
  phase.role = PhaseRole::prologue;
  phase.active_warps = work.active_warps;
  phase.warp.integer = integer_at_start;
  add_fetch(phase.warp, work.fetch, g, work.ahead);
  phase.fetched = Bytes{work.bytes_per_trip * work.ahead};
  phase.fetched_lines = work.lines_of_l1 * work.ahead;
  phase.exposed_latencies = 1;
  if (!mix) return phase;
  const FirstTurns turns = first_turns(*mix);
  const double idle = g.stages - 1 - work.ahead;
  phase.code = {counts_of(*mix, {{MixPart::start, 1}}), {}};
  phase.code->around.add(turns.fetching, work.ahead).add(turns.others, idle);
  // The data of the first turn are waited for behind the last one.
  phase.cycles_until_wait = (work.ahead - 1) * turns.fetching.chain_cycles + idle * turns.others.chain_cycles;
  set_copy_cycles(phase.code->around, phase.warp);
  return phase;
}

// The rounds that ask for data, if any, and the last ones.
void add_rounds(std::vector<Phase>& phases, const Geometry& g, const BlockWork& work, const Warp& warp,
                const CodeMix* mix) {
  Phase last;
  last.name = "last rounds";
  last.role = PhaseRole::steady;
  last.active_warps = work.active_warps;
  last.fetch_distance = g.stages - 1;
  last.warp = round_counts(g, work, warp);
  if (work.trips > work.ahead) {
    Phase& steady = phases.emplace_back(last);
    steady.name = "rounds";
    steady.trips = work.trips - work.ahead;
    add_fetch(steady.warp, work.fetch, g, 1);
    steady.fetched = Bytes{work.bytes_per_trip};
    steady.fetched_lines = work.lines_of_l1;
    if (mix) {
      steady.code = {counts_of(*mix, {{MixPart::round, 1}}), core_of(*mix, last.warp.ffma)};
      set_copy_cycles(steady.code->around, steady.warp);
    }
  }
  last.trips = work.ahead;
  if (mix) last.code = {counts_of(*mix, {{MixPart::last, 1}}), core_of(*mix, last.warp.ffma)};
  phases.push_back(last);
}

Phase sum_and_store(const ConvShape& shape, const Geometry& g, const BlockWork& work, const Warp& warp,
                    const CodeMix* mix) {
  Phase phase;
  phase.name = "sum and store";
  phase.role = PhaseRole::epilogue;
  const double warps = static_cast<double>(g.threads) / threads_per_warp;
  const double passes = static_cast<double>(g.thread_m) / g.pass_rows;
  phase.active_warps = warps;
  WarpCounts& counts = phase.warp;
  const double lanes = threads_per_warp;
  const double outputs_per_warp = pass_outputs(g) / lanes / warps * passes;  // warp-wide stores of one warp
  const double places = divide_up(pass_outputs(g), g.threads);
  counts.shared_store.w128 = g.thread_m * g.thread_p / 4.0;
  counts.shared_store.wavefronts = counts.shared_store.w128 * wavefronts_of(warp, 4, [&](const Place& at) {
                                     return stage_at(g, at.slice, 0, at.m / g.thread_m, at.p);
                                   });
  counts.shared_load.w32 = outputs_per_warp * g.slices;
  counts.shared_load.wavefronts = counts.shared_load.w32;  // consecutive lanes, consecutive words
  counts.global_store.w32 = outputs_per_warp;
  const TileStores stores = tile_stores(shape, g, work.filters);
  counts.global_store.sectors = stores.sectors / warps;
  counts.global_store.masks = stores.masks / warps;
  counts.global_store.joined = stores.joined / warps;
  counts.barriers = 2 * passes;
  counts.integer =
      places * integer_per_output_place + outputs_per_warp * (integer_per_store + g.slices);  // and FADD
  counts.control = 2 * passes;
  phase.stored = Bytes{4 * stores.words};
  if (mix) phase.code = {counts_of(*mix, {{MixPart::end, 1}}), {}};
  return phase;
}

// Blocks go through the map's pixels, then to the next filters, then to the next image.
void set_streams(KernelDescription& d, const ConvShape& shape, const Arrangement& arranged,
                 const BlockWork& work, Bytes tile, double resident) {
  // A round's lines of an SM's blocks lie between a filter's segment and the next one.
  const Geometry& g = arranged.geometry;
  const double filters_asked = asked_in_steps(arranged.params.taps, g.segment, resident * work.lines_of_l1);
  const double images = static_cast<double>(shape.N), filter_tiles = static_cast<double>(arranged.grid_y),
               pixel_tiles = static_cast<double>(arranged.grid_x);
  const Bytes input_bytes{4.0 * static_cast<double>(shape.input_elements())},
      filter_bytes{4.0 * static_cast<double>(shape.filter_elements())},
      output_bytes{4.0 * static_cast<double>(shape.output_elements())};
  d.streams = {
      {"input", false, input_bytes,
       Bytes{images * filter_tiles * static_cast<double>(shape.C) * 4 * work.input.asked}, filter_tiles,
       pixel_tiles, input_bytes / images + (filter_bytes + output_bytes / images) / filter_tiles},
      {.tensor = "filters",
       .unique = filter_bytes,
       .requested = images * pixel_tiles * filters_asked * filter_bytes,
       .walks = images,
       .blocks_of_walk = pixel_tiles * filter_tiles,
       .touched_in_walk = filter_bytes + (input_bytes + output_bytes) / images,
       .readers = pixel_tiles},
      {.tensor = "output", .written = true, .unique = output_bytes, .requested = output_bytes},
  };
  d.streams[2].filled_together = output_bytes / (images * filter_tiles);
  d.streams[2].filling_blocks = pixel_tiles;
  d.streams[0].lookups = input_lookups(shape, g, d.streams[0].requested);
  d.streams[1].lookups =
      filter_lookups(arranged.params.taps, g, d.streams[1].requested, d.streams[1].requested / filters_asked);
  // A row of the map has K - 1 positions that are no outputs.
  split_rows(d.streams.back(), {.row = shape.out_h() * shape.out_w(),
                                .starts = shape.K - 1,
                                .columns = arranged.geometry.Wx_tile,
                                .joined = 1,
                                .tile_bytes = tile.value()});
}

}  // namespace

KernelDescription describe(const ConvShape& shape, const Config& config, const DeviceProfile& device,
                           const CodeRecord* code) {
  const Tile tile{config["S_bytes"], config["M_tile"], config["Wx_tile"]};
  const auto arranged = std::get<Arrangement>(arrange(shape, tile, limits_of(device)));
  const Geometry& g = arranged.geometry;
  const Warp warp = first_warp(g);

  KernelDescription d;
  d.family = "chang_multi";
  d.launch.blocks = arranged.grid_x * arranged.grid_y * arranged.grid_z;
  d.launch.threads = g.threads;
  d.launch.registers = code ? code->registers : static_cast<std::int64_t>(registers_estimate(arranged));
  d.launch.shared =
      Bytes{4.0 * shared_floats(g) + (code ? static_cast<double>(code->static_shared_bytes) : 0)};
  d.code = code && code->mixes ? CodeSource::own : CodeSource::estimated;
  d.register_tile = RegisterTile{static_cast<double>(g.thread_m), static_cast<double>(g.thread_p)};
  const double blocks = static_cast<double>(d.launch.blocks);
  d.fma_executed = blocks * g.M_tile * g.Wx_tile * static_cast<double>(arranged.params.taps);
  d.fma_useful = static_cast<double>(shape.fmas());

  const CodeMix* mix = mix_of(code, d.fma_executed / blocks / g.threads);
  if (mix) {
    d.code_instructions = code_instructions(*mix);
    d.loop_instructions = loop_instructions(*mix);
  }
  const BlockWork work = block_work(shape, arranged, warp);
  CodeMix similar;
  if (mix && code->of_similar) {
    WarpCounts fetch;
    add_fetch(fetch, work.fetch, g, 1);
    similar = with_copies(*mix, fetch.async_copy.instructions());
    mix = &similar;
  }
  d.phases.reserve(5);
  d.phases.push_back(first_loads(g, work, mix));
  add_rounds(d.phases, g, work, warp, mix);
  const Phase end = sum_and_store(shape, g, work, warp, mix);
  if (mix) {
    if (const auto before = before_stores(end, *mix)) d.phases.push_back(*before);
  }
  d.phases.push_back(end);
  if (code) d.local_memory = Bytes{static_cast<double>(code->spill_bytes)};
  if (mix) wait_for_spills(d, *code, device);
  set_streams(d, shape, arranged, work, end.stored,
              static_cast<double>(occupancy(d.launch, device).blocks_per_sm));
  // A9. The grid ends with the last filters' tiles.
  const double tile_filters = arranged.params.tile_filters, others = static_cast<double>(arranged.grid_y) - 1;
  d.edge_blocks = static_cast<double>(arranged.grid_x);
  d.edge_stored = (static_cast<double>(shape.M) - others * tile_filters) / work.filters;
  if (code && code->mixes) set_core_paces(d, *code->mixes);
  return d;
}

}  // namespace tilecast::chang_multi
