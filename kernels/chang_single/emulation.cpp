#include "kernels/chang_single/emulation.hpp"

#include <limits>

namespace tilecast::chang_single {
namespace {

constexpr float poison = std::numeric_limits<float>::quiet_NaN();

class Block {
 public:
  Block(const ConvShape& shape, const Division& division, const std::vector<float>& input,
        const std::vector<float>& filters, Emulation& result)
      : shape_(shape),
        d_(division),
        p_(make_params(shape, division)),
        input_(input),
        filters_(filters),
        result_(result),
        map_(static_cast<std::size_t>(division.map_buffers * division.map_buffer_words), poison),
        weights_(static_cast<std::size_t>(division.filter_buffers * division.filter_buffer_words), poison) {}

  void run(int block_m, int block_y, int image, bool counted) {
    counted_ = counted;
    const Range filters = part(p_.filters, p_.block_filters, block_m);
    const Range rows = part(p_.out_height, p_.block_rows, block_y);
    const int strips = ceil_divide(rows.count, p_.strip_rows, p_.strip_divisor);
    const int pieces = ceil_divide(filters.count, p_.piece_filters, p_.piece_divisor);
    int map_parity = 0, filter_parity = 0, shift = 0;
    for (int piece = 0; piece < pieces; ++piece) {
      const Range some = part(filters.count, p_.piece_filters, piece);
      if (piece > 0 && d_.prefetch()) filter_parity ^= 1;
      request_filters(filter_parity, filters.first + some.first, some.count);
      for (int strip = 0; strip < strips; ++strip) {
        const Range strip_rows = part(rows.count, p_.strip_rows, strip);
        const bool first = piece == 0 && strip == 0;
        if (!first && strips > 1 && d_.prefetch()) map_parity ^= 1;
        if (first || strips > 1)
          shift = request_map(map_parity, image, rows.first + strip_rows.first, strip_rows.count);
        compute(map_parity, shift, filter_parity, strip_rows.count, some.count,
                {image, filters.first + some.first, rows.first + strip_rows.first});
      }
    }
  }

 private:
  struct Origin {
    int image, filter, row;
  };

  float& shared(std::vector<float>& buffers, std::int64_t buffer_words, int parity, std::int64_t word) {
    static float nowhere = poison;
    const std::int64_t at = parity * buffer_words + word;
    if (word < 0 || word >= buffer_words || at >= static_cast<std::int64_t>(buffers.size())) {
      result_.out_of_range = true;
      return nowhere;
    }
    return buffers[static_cast<std::size_t>(at)];
  }

  int request_map(int parity, int image, int first_row, int rows) {
    const AlignedCopy copy = map_copy(p_, d_.k, image, first_row, rows);
    for (int word = 0; word < copy.words; ++word) {
      const std::int64_t from = copy.first + word;
      if (word < copy.present && (from < 0 || from >= shape_.input_elements())) result_.out_of_range = true;
      shared(map_, d_.map_buffer_words, parity, word) =
          word < copy.present ? input_[static_cast<std::size_t>(from)] : 0;
    }
    if (counted_) result_.map_copies += ceil_divide(copy.words / 4, 32);
    result_.map_words += copy.words;
    return copy.shift;
  }

  void request_filters(int parity, int first, int count) {
    const int words = count * d_.k * d_.k;
    for (int word = 0; word < words; ++word)
      shared(weights_, d_.filter_buffer_words, parity, filter_word(word, d_.k)) =
          filters_.at(static_cast<std::size_t>(first * d_.k * d_.k + word));
    if (counted_) result_.filter_copies += ceil_divide(words, 32);
  }

  void compute(int map_parity, int shift, int filter_parity, int rows, int filters, const Origin& origin) {
    const int row_tiles = p_.out_width / d_.tile_x;
    const int tiles = row_tiles * ceil_divide(rows, d_.tile_y);
    for (int warp = 0; warp < 1 << p_.warps_log2; ++warp) {
      const Range items = warp_items((tiles + 31) / 32, filters, warp, p_.warps_log2);
      int last_unit = -1;
      for (int item = items.first; item < items.first + items.count; ++item) {
        const int unit = item / filters, filter = item % filters;
        if (counted_) result_.visits += unit != last_unit;
        if (counted_) ++result_.items;
        ++result_.all_items;
        last_unit = unit;
        for (int lane = 0; lane < 32; ++lane) {
          const Tile tile =
              tile_at(unit * 32 + lane, tiles, rows, p_.tiles_x, row_tiles, d_.tile_x, d_.tile_y);
          thread_tile(tile, map_parity, shift, filter_parity, filter, origin);
        }
      }
    }
  }

  void thread_tile(const Tile& tile, int map_parity, int shift, int filter_parity, int filter,
                   const Origin& origin) {
    const std::int64_t window = shift + window_word(tile, p_.map_width);
    if (window % window_vector(d_.k, d_.tile_x) != 0) result_.out_of_range = true;
    for (int y = 0; y < d_.tile_y; ++y) {
      for (int x = 0; x < d_.tile_x; ++x) {
        float sum = 0;
        for (int ky = 0; ky < d_.k; ++ky) {
          for (int kx = 0; kx < d_.k; ++kx)
            sum += shared(map_, d_.map_buffer_words, map_parity, window + (y + ky) * p_.map_width + x + kx) *
                   shared(weights_, d_.filter_buffer_words, filter_parity,
                          filter * filter_pitch(d_.k) + ky * d_.k + kx);
        }
        if (y < tile.valid_rows) store(origin, filter, tile.row + y, tile.column + x, sum);
      }
    }
  }

  void store(const Origin& origin, int filter, int row, int column, float value) {
    const std::int64_t at =
        ((static_cast<std::int64_t>(origin.image) * p_.filters + origin.filter + filter) * p_.out_height +
         origin.row + row) *
            p_.out_width +
        column;
    if (at < 0 || at >= shape_.output_elements() || column >= p_.out_width) {
      result_.out_of_range = true;
      return;
    }
    result_.output[static_cast<std::size_t>(at)] = value;
    ++result_.writes[static_cast<std::size_t>(at)];
  }

  const ConvShape& shape_;
  const Division& d_;
  Params p_;
  const std::vector<float>& input_;
  const std::vector<float>& filters_;
  Emulation& result_;
  std::vector<float> map_, weights_;
  bool counted_ = false;
};

}  // namespace

Emulation emulate(const ConvShape& shape, const Division& division, const std::vector<float>& input,
                  const std::vector<float>& filters) {
  Emulation result;
  result.output.assign(static_cast<std::size_t>(shape.output_elements()), poison);
  result.writes.assign(result.output.size(), 0);
  for (int image = 0; image < shape.N; ++image) {
    for (int y = 0; y < division.grid_y; ++y) {
      for (int m = 0; m < division.grid_m; ++m)
        Block(shape, division, input, filters, result).run(m, y, image, image == 0 && y == 0 && m == 0);
    }
  }
  return result;
}

}  // namespace tilecast::chang_single
