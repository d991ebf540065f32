#include "kernels/chang_single/division.hpp"

#include <algorithm>
#include <bit>

namespace tilecast::chang_single {
namespace {

std::int64_t parts(std::int64_t n, std::int64_t size) {
  return (n + size - 1) / size;
}
std::int64_t round_up(std::int64_t n, std::int64_t to) {
  return parts(n, to) * to;
}

// Widest tile whose rows of outputs stay aligned for vector stores.
int choose_tile_x(std::int64_t out_w) {
  return out_w % 4 == 0 ? 4 : out_w % 2 == 0 ? 2 : 1;
}

// Outputs of a tile. The window of K = 7 and loads in flight together would not fit 128 registers.
int most_outputs(const Division& d) {
  return d.k == 7 && !d.prefetch() ? 4 : 8;
}

// Rows of a tile: as many as make most_outputs(), or fewer where short strips would leave them unused or
// lanes idle. The one with the fewest warp instructions on the busiest warp; the weights are the instructions
// of the compiled loops (code_costs.hpp), rounded. Ties go to the taller tile, which loads less.
int choose_tile_y(const Division& d, std::int64_t out_w) {
  const std::int64_t warps = d.threads / 32;
  int best = 0;
  std::int64_t best_cost = 0;
  for (int tile_y = most_outputs(d) / d.tile_x; tile_y >= 1; tile_y /= 2) {
    const std::int64_t units = parts(out_w / d.tile_x * parts(d.rows_per_strip, tile_y), 32);
    const std::int64_t share = parts(units * d.filters_per_piece, warps);
    const std::int64_t item = d.k * d.k * d.tile_x * tile_y + filter_pitch(d.k) / 4 + 4 * tile_y + 6;
    const std::int64_t window = (tile_y + d.k - 1) * (d.tile_x + d.k - 1) / window_vector(d.k, d.tile_x) + 60;
    const std::int64_t cost = share * item + parts(share, d.filters_per_piece) * window;
    if (best == 0 || cost < best_cost) {
      best = tile_y;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace

std::int64_t Division::steps() const {
  return parts(rows_per_block, rows_per_strip) * parts(filters_per_block, filters_per_piece);
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

  d.tile_x = choose_tile_x(shape.out_w());
  d.tile_y = choose_tile_y(d, shape.out_w());

  // A window reaches down to the last row of the last tile, needed or not; up to 3 words before the first
  // keep the copy aligned.
  const std::int64_t window_rows = round_up(d.rows_per_strip, d.tile_y) + shape.K - 1;
  d.map_buffer_words = round_up(3 + window_rows * shape.W, 4);
  d.filter_buffer_words = round_up(d.filters_per_piece * filter_pitch(d.k), 4);
  d.map_buffers = d.prefetch() && d.rows_per_strip < d.rows_per_block ? 2 : 1;
  d.filter_buffers = d.prefetch() && d.filters_per_piece < d.filters_per_block ? 2 : 1;
  return d;
}

Params make_params(const ConvShape& shape, const Division& d) {
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  const auto divisor = [](std::int64_t value) { return fast_divisor(static_cast<unsigned>(value)); };
  Params p{};
  p.images = narrow(shape.N);
  p.map_height = narrow(shape.H);
  p.map_width = narrow(shape.W);
  p.filters = narrow(shape.M);
  p.out_height = narrow(shape.out_h());
  p.out_width = narrow(shape.out_w());
  p.block_filters = narrow(d.filters_per_block);
  p.piece_filters = narrow(d.filters_per_piece);
  p.block_rows = narrow(d.rows_per_block);
  p.strip_rows = narrow(d.rows_per_strip);
  p.warps_log2 = std::countr_zero(static_cast<std::uint64_t>(d.threads / 32));
  p.map_buffer_words = narrow(d.map_buffer_words);
  p.filter_buffer_words = narrow(d.filter_buffer_words);
  p.map_buffers = narrow(d.map_buffers);
  p.filter_buffers = narrow(d.filter_buffers);
  p.tiles_x = divisor(shape.out_w() / d.tile_x);
  p.strip_divisor = divisor(d.rows_per_strip);
  p.piece_divisor = divisor(d.filters_per_piece);
  return p;
}

}  // namespace tilecast::chang_single
