#include "kernels/chang_single/division.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "model/units/hardware_sizes.hpp"

namespace tilecast::chang_single {
namespace {

std::int64_t parts(std::int64_t n, std::int64_t size) {
  return (n + size - 1) / size;
}
std::int64_t round_up(std::int64_t n, std::int64_t to) {
  return parts(n, to) * to;
}

// Larger outputs do not stay in L2 (50 MB on H100 and H200, in two halves), and what goes to DRAM costs more
// for a sector that was stored in two halves than for two whole ones: units start at sectors. For smaller
// outputs 16 bytes are enough, and fewer windows are loaded.
constexpr std::int64_t output_beyond_l2_bytes = std::int64_t{24} << 20;
// Registers for windows, of the 128 that 512 threads an SM leave a thread.
constexpr int most_window_words = 80;

struct TileChoice {
  int tile_y, unit_warps_log2;
};

int window_words(int k, int groups, int group, int tile_y) {
  return groups * (tile_y + k - 1) * (group + k - 1);
}

// Outputs of a store: four, or fewer where their windows would not fit registers.
int choose_tile_x(int k, int out_w) {
  int tile_x = 4;
  while (tile_x > 1) {
    const int group = group_words(out_w, tile_x);
    if (window_words(k, tile_x / group, group, 1) <= most_window_words) break;
    tile_x /= 2;
  }
  return tile_x;
}

// Filters after which the start of a plane has the same alignment again.
int period_of(const ConvShape& shape, int align) {
  const auto plane = shape.out_h() * shape.out_w();
  return align / static_cast<int>(std::gcd(plane, std::int64_t{align}));
}

// Issue slots of the busiest warp in one full step. Shared-memory and store data paths carry 128 bytes a
// cycle for four schedulers (a broadcast fills as many registers as other loads), so a word a lane costs four
// slots.
std::int64_t step_cost(const Division& d, int out_w, int tile_y, int unit_warps_log2) {
  const int group = d.group;
  const int window = window_words(d.k, d.tile_x / group, group, tile_y);
  const int outputs = d.tile_x * tile_y;
  const int weights = d.k * d.k;
  const int item =
      std::max(weights * outputs + filter_pitch(d.k) / 4 + 4 * tile_y + 6, 4 * (weights + outputs));
  const int visit = 4 * window + 40;
  const auto work =
      warp_work(0, std::countr_zero(static_cast<std::uint64_t>(d.warps())), unit_warps_log2, d.period);
  const std::int64_t units = parts(parts(d.rows_per_strip, tile_y) * out_w, unit_words(d.tile_x));
  const std::int64_t passes =
      std::min<std::int64_t>(work.filter_step / work.filter_lanes, d.filters_per_piece);
  return parts(units, work.unit_step) *
         (passes * visit + parts(d.filters_per_piece, work.filter_lanes) * item);
}

// Rows of a tile and the rectangle of warps with the least cost; ties go to fewer rows and to more warps
// along units, which then store a filter's outputs side by side.
TileChoice choose_tile(const Division& d, int out_w) {
  const int group = d.group;
  TileChoice best{1, 0};
  std::int64_t best_cost = -1;
  for (int tile_y = 1; tile_y <= 4; tile_y *= 2) {
    // One weight needs no sharing; groups that straddle rows cannot be stacked.
    if (tile_y > 1 && (d.k == 1 || group != d.tile_x)) break;
    // With loads in flight and a loop over steps there is room for less.
    const int most = d.prefetch() ? most_window_words + 8 : most_window_words - 8;
    if (tile_y > 1 && window_words(d.k, 1, group, tile_y) + d.tile_x * tile_y > most) break;
    for (int log2 = std::countr_zero(static_cast<std::uint64_t>(d.warps())); log2 >= 0; --log2) {
      const std::int64_t cost = step_cost(d, out_w, tile_y, log2);
      if (best_cost >= 0 && cost >= best_cost) continue;
      best = {tile_y, log2};
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace

std::int64_t Division::steps() const {
  return parts(rows_per_block, rows_per_strip) * parts(filters_per_block, filters_per_piece);
}

WarpWork Division::warp(std::int64_t index) const {
  return warp_work(static_cast<int>(index), std::countr_zero(static_cast<std::uint64_t>(warps())),
                   unit_warps_log2, period);
}

Division divide_problem(const ConvShape& shape, const Config& config) {
  Division d;
  d.method = config["method"];
  d.threads = config["threads"];
  d.load_bytes = config["load_bytes"];
  d.loads_in_flight = config["loads_in_flight"];
  d.k = static_cast<int>(shape.K);

  d.filters_per_block = parts(shape.M, config["grid_m"]);
  d.rows_per_block = parts(shape.out_h(), config["grid_y"]);
  d.filters_per_piece = parts(d.filters_per_block, config["Q"]);
  d.rows_per_strip = parts(d.rows_per_block, config["P"]);
  d.grid_m = parts(shape.M, d.filters_per_block);
  d.grid_y = parts(shape.out_h(), d.rows_per_block);
  d.images_in_grid = std::min<std::int64_t>(shape.N, 65535);

  const int out_w = static_cast<int>(shape.out_w());
  const bool beyond_l2 = 4 * shape.output_elements() > output_beyond_l2_bytes;
  d.tile_x = choose_tile_x(d.k, out_w);
  d.align = beyond_l2 && d.tile_x == 4 ? sector_words : d.tile_x;
  d.period = period_of(shape, d.align);
  d.group = group_words(out_w, d.tile_x);
  const TileChoice tile = choose_tile(d, out_w);
  d.tile_y = tile.tile_y;
  d.unit_warps_log2 = tile.unit_warps_log2;
  if (d.tile_y > 1) {
    d.align = d.tile_x;
    d.period = 1;
  }

  d.map_buffer_words =
      map_buffer_words(static_cast<int>(d.rows_per_strip), d.tile_y, static_cast<int>(shape.W), d.k);
  d.filter_buffer_words = round_up(d.filters_per_piece * filter_pitch(d.k), 4);
  d.map_buffers = d.prefetch() && d.rows_per_strip < d.rows_per_block ? 2 : 1;
  d.filter_buffers = d.prefetch() && d.filters_per_piece < d.filters_per_block ? 2 : 1;
  d.one_step = d.prefetch() && d.steps() == 1 && shape.N == 1;
  return d;
}

Params make_params(const ConvShape& shape, const Division& d) {
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  Params p{};
  p.images = narrow(shape.N);
  p.map_height = narrow(shape.H);
  p.filters = narrow(shape.M);
  p.block_filters = narrow(d.filters_per_block);
  p.piece_filters = narrow(d.filters_per_piece);
  p.block_rows = narrow(d.rows_per_block);
  p.strip_rows = narrow(d.rows_per_strip);
  p.unit_warps_log2 = d.unit_warps_log2;
  p.map_buffer_words = narrow(d.map_buffer_words);
  p.filter_buffer_words = narrow(d.filter_buffer_words);
  p.map_buffers = narrow(d.map_buffers);
  p.filter_buffers = narrow(d.filter_buffers);
  return p;
}

}  // namespace tilecast::chang_single
