#include "model/analytic/dram_writes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "model/analytic/storing.hpp"
#include "model/device/rates.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

// A5. A sector whose halves are written so many bytes apart, in bytes of a stream that take DRAM as long, by
// how many bytes are written for each such sector: the fewer there are, the more it costs that the other half
// comes late. H200, means over blocks of 4 and 16 warps, one and four an SM: split_stores.csv (512 bytes) and
// sparse_boundaries.csv (where its stream is one); the last column of the latter: without the other half.
constexpr std::array split_apart{0.0,    1.08e6, 2.16e6, 4.33e6,  8.65e6,
                                 17.3e6, 34.6e6, 69.2e6, 138.4e6, 276.8e6};
struct SplitCosts {
  double every;  // bytes
  std::array<double, split_apart.size()> bytes;
};
using SplitTable = std::array<SplitCosts, 4>;
constexpr SplitTable split_costs{SplitCosts{512, {90, 120, 146, 200, 287, 439, 677, 859, 940, 1150}},
                                 SplitCosts{1024, {90, 118, 148, 200, 284, 484, 830, 1390, 1590, 1615}},
                                 SplitCosts{2048, {90, 111, 133, 178, 300, 490, 836, 1357, 1750, 2050}},
                                 SplitCosts{4096, {90, 111, 130, 164, 326, 530, 922, 1445, 1890, 2380}}};
// Stored to be evicted first (st.cs) those that come late cost less (sparse_first_out.csv beside plain stores
// of the same day: 0.92 and 1.06 times as much at 69 and 138 MB for one in 512 bytes, else 0.79 to 0.87 and
// 0.69 to 0.77); the last column is measured as above.
constexpr SplitTable first_out_costs{SplitCosts{512, {90, 120, 146, 200, 287, 439, 677, 790, 940, 1280}},
                                     SplitCosts{1024, {90, 118, 148, 200, 284, 484, 830, 1130, 1200, 1735}},
                                     SplitCosts{2048, {90, 111, 133, 178, 300, 490, 836, 1110, 1280, 1765}},
                                     SplitCosts{4096, {90, 111, 130, 164, 326, 530, 922, 1200, 1380, 2075}}};
// A line of whole sectors that is written in two parts (the same, sectors 32 bytes behind a line's begin).
constexpr std::array line_costs{30.0, 32.0, 38.0, 50.0, 70.0, 115.0, 170.0, 220.0, 235.0, 235.0};
static_assert(line_costs.size() == split_apart.size());
// A line that a warp fills by several stores of 64, of 32 bytes: each of them but the first. H200, tiles that
// do so over tiles that store whole lines (experiments/narrow_tiles.csv).
constexpr std::array parts_apart{0.0, 2.16e6, 4.33e6, 8.65e6, 17.3e6};
constexpr std::array half_line_costs{0.0, 2.0, 6.0, 15.0, 66.0};
constexpr std::array quarter_line_costs{17.0, 17.0, 20.0, 65.0, 103.0};
// Both halves by the same warp, one store behind the other: of stores of 128 and of 512 bytes
// (split_pieces.csv, means of what 512 and 1024 bytes take beyond the boundary to the next warp's, halves up
// to 17 MB apart).
constexpr double at_once_of_line = 12, at_once_of_four = 69;

// Between the measured distances, at most the longest.
template <std::size_t count>
double at_distance(const std::array<double, count>& distances, const std::array<double, count>& costs,
                   double apart) {
  std::size_t i = 1;
  while (i + 1 < count && distances[i] < apart)
    ++i;
  const double along = std::min(1.0, (apart - distances[i - 1]) / (distances[i] - distances[i - 1]));
  return std::lerp(costs[i - 1], costs[i], along);
}

// Of a sector in so many bytes, whose halves are written so many bytes apart.
double split_cost(const SplitTable& costs, double every, double apart) {
  const auto cost = [&](const SplitCosts& row) { return at_distance(split_apart, row.bytes, apart); };
  std::size_t row = 1;
  while (row + 1 < costs.size() && costs[row].every < every)
    ++row;
  const auto &below = costs[row - 1], &above = costs[row];
  const double between =
      std::clamp(std::log2(every / below.every) / std::log2(above.every / below.every), 0.0, 1.0);
  return std::lerp(cost(below), cost(above), between);
}

// A sector whose halves a block stores so many bytes apart, counting what all blocks store that do so at the
// same time, by the bytes that are stored side by side: the longer these are, the fewer such sectors. H200,
// experiments/row_halves.csv.
constexpr std::array in_tile_apart{0.0, 2.16e6, 4.33e6, 8.65e6, 17.3e6, 34.6e6};
constexpr std::array<std::array<double, in_tile_apart.size()>, 4> in_tile_costs{
    std::array{24.0, 60.0, 100.0, 135.0, 135.0, 135.0}, std::array{24.0, 95.0, 150.0, 205.0, 300.0, 375.0},
    std::array{24.0, 95.0, 155.0, 255.0, 460.0, 790.0}, std::array{24.0, 110.0, 215.0, 390.0, 735.0, 1610.0}};

double cost_in_tile(double piece, double apart) {
  const double along = std::clamp(std::log2(piece / sector_bytes), 0.0, in_tile_costs.size() - 1.0);
  const auto below = std::min(static_cast<std::size_t>(along), in_tile_costs.size() - 2);
  return std::lerp(at_distance(in_tile_apart, in_tile_costs[below], apart),
                   at_distance(in_tile_apart, in_tile_costs[below + 1], apart),
                   along - static_cast<double>(below));
}

}  // namespace

// H200, means of plain and evict-first stores of 512 MiB and 1 GiB by 32 warps an SM through so many planes
// at the same time, over the profile's stream (experiments/write_walks.csv).
Bandwidth dram_write_in_places(double places, double spread, const Machine& machine) {
  static const Curve of_stream{.x = {1, 16, 64, 1024}, .y = {1, 0.96, 0.943, 0.929}};
  return std::lerp(1.0, interpolate(of_stream, std::max(1.0, places)), spread) * machine.dram_write;
}

// H200, tiles of 128-byte pieces over images of 0.8 to 166 MB (experiments/written_layouts.csv).
double spread_of_writes(const Stream& written, double running) {
  constexpr double close = 9e6, far = 134e6;
  if (written.filled_together <= Bytes{}) return 1;
  const double over = written.filled_together.value() * std::max(1.0, running / written.filling_blocks);
  return std::clamp(std::log(over / close) / std::log(far / close), 0.0, 1.0);
}

double time_with_split_sectors(const Stream& written, double running, double storing) {
  const double of_four = std::clamp((written.stored_in_row.value() / line_bytes - 1) / 3, 0.0, 1.0);
  const double at_once = std::lerp(at_once_of_line, at_once_of_four, of_four);
  double time = 1 + at_once * written.split_at_once, per_byte = 0;
  for (const auto& split : written.split)
    per_byte += split.per_byte;
  const double every = per_byte > 0 ? 1 / per_byte : 0;
  const SplitTable& costs = written.evicted_first ? first_out_costs : split_costs;
  for (const auto& split : written.split) {
    const double apart = running * split.between.value() + split.by_all.value();
    if (split.per_byte > 0) time += split.per_byte * split_cost(costs, every, apart);
    if (split.lines_per_byte > 0) time += split.lines_per_byte * at_distance(split_apart, line_costs, apart);
  }
  if (const auto& split = written.split_in_tile; split.per_byte > 0)
    time += split.per_byte * cost_in_tile(written.stored_in_row.value(), storing * split.between.value());
  if (const auto& line = written.line_parts; line.parts > 1) {
    const double apart = running * line.between.value();
    const auto& costs_of_parts = line.parts > 2 ? quarter_line_costs : half_line_costs;
    time += (line.parts - 1) / line_bytes * at_distance(parts_apart, costs_of_parts, apart);
  }
  return time;
}

double time_with_split_sectors(const Stream& written, const KernelDescription& kernel, double running,
                               double resident, const Machine& machine) {
  double longer = time_with_split_sectors(written, running, running);
  if (written.split_in_tile.per_byte <= 0 || written.split_in_tile.between <= Bytes{}) return longer;
  // How many store at the same time follows from how long it takes them, and the other way round.
  constexpr int turns = 4;
  const double stream =
      (kernel.phases.back().stored / machine.dram_write * machine.clock).value() * machine.sms;
  double share = 1;
  for (int turn = 0; turn < turns; ++turn) {
    share = std::midpoint(share, storing_share(kernel, machine, resident, longer * stream));
    longer = time_with_split_sectors(written, running, share * running);
  }
  return longer;
}

Bandwidth written_rate(const Stream& s, const KernelDescription& kernel, double at_once,
                       const Machine& machine) {
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  const double running = std::min(at_once, blocks);
  const double spread = spread_of_writes(s, running);
  const Bandwidth stream = dram_write_in_places(running, spread, machine);
  const Bandwidth split =
      1 / time_with_split_sectors(s, kernel, running, std::max(1.0, at_once / machine.sms), machine) * stream;
  const Bytes between = running / blocks * s.requested;
  const auto piece = s.piece > Bytes{} ? std::optional(s.piece.value()) : std::nullopt;
  return dram_write_in_pieces(*machine.profile, split, {piece, between.value(), spread});
}

}  // namespace tilecast::analytic
