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
        width_(static_cast<int>(shape.W)),
        out_width_(static_cast<int>(shape.out_w())),
        input_(input),
        filters_(filters),
        result_(result),
        map_(static_cast<std::size_t>(division.map_buffers * division.map_buffer_words), poison),
        weights_(static_cast<std::size_t>(division.filter_buffers * division.filter_buffer_words), poison) {}

  void run(int block_m, int block_y, int image, bool counted) {
    counted_ = counted;
    const Range filters = part(p_.filters, p_.block_filters, block_m);
    const Range rows = part(static_cast<int>(shape_.out_h()), p_.block_rows, block_y);
    const int strips = ceil_divide(rows.count, p_.strip_rows);
    const int pieces = ceil_divide(filters.count, p_.piece_filters);
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
    const AlignedCopy copy = map_copy(p_, d_.k, width_, image, first_row, rows);
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
    const int outputs = band_outputs(rows, d_.tile_y, out_width_);
    for (int warp = 0; warp < d_.warps(); ++warp) {
      const WarpWork work = d_.warp(warp);
      for (int first = work.first_filter; first < work.filter_step; first += work.filter_lanes) {
        if (first >= filters) continue;  // an idle warp stores nothing
        const int lead = lead_at(d_, output_index(origin, first, 0, 0));
        for (int unit = work.first_unit; tile_at(unit, 0, lead, d_.tile_x) < outputs;
             unit += work.unit_step) {
          if (counted_) ++result_.visits;
          for (int filter = first; filter < filters; filter += work.filter_step) {
            if (counted_) ++result_.items;
            ++result_.all_items;
            for (int lane = 0; lane < 32; ++lane)
              thread_tile(tile_at(unit, lane, lead, d_.tile_x), outputs, rows, map_parity, shift,
                          filter_parity, filter, origin);
          }
        }
      }
    }
  }

  void thread_tile(int at, int outputs, int rows, int map_parity, int shift, int filter_parity, int filter,
                   const Origin& origin) {
    const int group = d_.group;
    for (int first = 0; first < d_.tile_x; first += group) {
      const Place place = place_of(at + first, outputs, group, d_.tile_y, out_width_, d_.k);
      const std::int64_t window = shift + place.window;
      if (window % window_vector(d_.k, group) != 0) result_.out_of_range = true;
      const bool inside = at + first >= 0 && at + first < outputs;
      // A store of the whole tile is aligned to it.
      if (inside && d_.tile_y == 1 && output_index(origin, filter, 0, at) % d_.tile_x != 0)
        result_.out_of_range = true;
      for (int y = 0; y < d_.tile_y; ++y) {
        for (int x = 0; x < group; ++x) {
          float sum = 0;
          for (int ky = 0; ky < d_.k; ++ky) {
            for (int kx = 0; kx < d_.k; ++kx)
              sum += shared(map_, d_.map_buffer_words, map_parity, window + (y + ky) * width_ + x + kx) *
                     shared(weights_, d_.filter_buffer_words, filter_parity,
                            filter * filter_pitch(d_.k) + ky * d_.k + kx);
          }
          if (inside && place.row + y < rows)
            store(origin, output_index(origin, filter, y, place.output + x), sum);
        }
      }
    }
  }

  // Of an output `row` rows and `word` outputs after the strip's first.
  std::int64_t output_index(const Origin& origin, int filter, int row, int word) const {
    return ((static_cast<std::int64_t>(origin.image) * p_.filters + origin.filter + filter) * shape_.out_h() +
            origin.row + row) *
               out_width_ +
           word;
  }

  void store(const Origin& origin, std::int64_t at, float value) {
    if (at < 0 || at >= shape_.output_elements() || origin.row >= shape_.out_h()) {
      result_.out_of_range = true;
      return;
    }
    result_.output[static_cast<std::size_t>(at)] = value;
    ++result_.writes[static_cast<std::size_t>(at)];
  }

  const ConvShape& shape_;
  const Division& d_;
  Params p_;
  int width_, out_width_;
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
