// What a sector costs that a store does not fill, on the way to L2 and in it, and what it costs that another
// store fills the rest.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/launch_reduction.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

namespace {

constexpr int warps = 16;

struct Pattern {
  int width, piece, period, fill, stores;  // stores: of a round of a warp, each to its own place

  Specialisation code() const {
    return {"probes/store_pieces.cu",
            "store_pieces",
            {{"WIDTH", width}, {"PIECE", piece}, {"PERIOD", period}, {"FILL", fill}, {"STORES", stores}}};
  }
  std::size_t bytes_of_block() const {
    return static_cast<std::size_t>(32 * width / piece * period) * warps * static_cast<std::size_t>(stores);
  }
};

// Gaps as wide as the pieces: half of the bytes. Gaps that stay are at least what is left of `unit`.
// Fewer stores where lines are touched for one piece each, so that all SMs' lines fit into L2.
Pattern pattern_of(int piece, int fill, int unit) {
  const int width = std::min(piece, 16), whole_store = 32 * width, stores = unit == line_bytes ? 2 : 8;
  if (piece >= whole_store) return {width, piece, piece, fill, stores};
  return {width, piece, fill == 0 ? std::max(2 * piece, unit) : 2 * piece, fill, stores};
}

}  // namespace

ProbeResult probe_store_pieces(const ProbeContext& context) {
  const int sms = context.gpu.info().sm_count, repeats = context.quick ? 3 : 7;
  constexpr unsigned fewer = 128, more = 640;  // stores of a warp
  const auto all = static_cast<std::size_t>(sms);
  const std::size_t bytes = all * pattern_of(4, 0, line_bytes).bytes_of_block();  // the most of all
  if (bytes > usable_memory(context)) return {{}, {}, {}, "no room for what all SMs write to"};
  DeviceBuffer memory(bytes), records(all * warps * sizeof(WarpRecord));
  fill_random(context, memory, 11);

  ProbeResult result;
  const std::string how =
      "16 warps an SM, 4, 8 or 16 bytes a lane, each warp the same 8 stores over and over, lines in L2; "
      "bytes a cycle and SM, slope of 16 and 80 rounds by clock64, median over SMs";
  const auto measure = [&](const char* key, std::string_view what, std::vector<double> pieces, int fill,
                           int unit = sector_bytes) {
    ProbeTable table{key, fmt::format("{}: {}", what, how), std::move(pieces), {1}, {}};
    for (const int part : {4, 2, 1}) {
      if (sms / part > 1) table.columns.push_back(sms / part);
    }
    for (const double piece : table.rows) {
      const Pattern pattern = pattern_of(static_cast<int>(piece), fill, unit);
      const ProbeKernel kernel = load_probe(context, pattern.code());
      for (const double active : table.columns) {
        ProbeLaunch launch = spread(context.gpu.info(), warps, 1, kernel.static_shared_bytes);
        launch.blocks = static_cast<std::int64_t>(active);
        const auto run = [&](unsigned stores) {
          const LoopParams params{stores / static_cast<unsigned>(pattern.stores), 0x7fffffffU};
          run_probe(context, kernel, launch, params, memory.address(), 0, records.address());
          return fetch<WarpRecord>(records, static_cast<std::size_t>(launch.blocks) * warps);
        };
        run(fewer);  // instruction caches, lines into L2
        std::vector<double> samples;
        for (int r = 0; r < repeats; ++r) {
          const auto shorter = run(fewer);
          samples.push_back(batches_between(shorter, run(more)) * 32 * pattern.width);
        }
        table.samples.push_back(std::move(samples));
      }
    }
    result.tables.push_back(std::move(table));
  };
  measure("store_rate_over_piece_and_sms",
          "pieces with gaps as wide, at least the rest of a sector; 512 bytes: none",
          {4, 8, 16, 32, 64, 128, 512}, 0);
  // For the raw samples only: how much of the cost is the line's.
  measure("store_rate_own_lines_over_piece_and_sms",
          "pieces in lines of their own, in rounds of two stores, four times as many", {4, 8, 16, 32, 64}, 0,
          line_bytes);
  measure("store_rate_filled_by_block_over_piece_and_sms",
          "pieces with gaps as wide, which a second warp of the block writes at the same time",
          {4, 8, 16, 32, 64, 128}, 1);
  measure("store_rate_filled_by_warp_over_piece_and_sms",
          "pieces with gaps as wide, which the same warp writes with its next store", {4, 8, 16, 32, 64, 128},
          2);
  return result;
}

}  // namespace tilecast
