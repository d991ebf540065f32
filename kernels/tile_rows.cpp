#include "kernels/tile_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/wavefronts.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

void split_rows(Stream& written, const TileRows& tile) {
  // Between the ends of neighbours running blocks store so much of what they hold: by block timelines of ten
  // chang_multi configs 0.02 to 0.12 on average (one of 0.31), of four of implicit_gemm 0.09 to 0.23.
  constexpr double drift = 0.1;
  const auto begins = std::gcd(tile.row, tile.starts);
  const double inside = 1 - aligned_share(begins);
  const auto columns = static_cast<double>(std::min(tile.columns, tile.row));
  written.split[0] = {inside / (4 * columns), Bytes{drift * tile.tile_bytes},
                      Bytes{tile.blocks_to_next * tile.tile_bytes}};
  const double together = 1 / std::lerp(1 / std::min(tile.span, columns), 1 / columns, tile.joined);
  written.lines_apart = lines_apart(begins, together);
  written.stored_in_row = Bytes{4 * std::min(tile.span, columns)};
  const double within = inside * std::max(0.0, columns / tile.span - 1) / (4 * columns);
  if (tile.between_stores)
    written.split_in_tile = {within, Bytes{*tile.between_stores}};
  else
    written.split_at_once = within;
}

double lines_apart(std::int64_t starts, double span) {
  if (span < line_words) return 1;
  const double inside = 1 - static_cast<double>(std::gcd(starts, std::int64_t{line_words})) / line_words;
  return inside * line_words / span;
}

double asked_in_steps(std::int64_t row, double span, double lines) {
  if (static_cast<double>(row) <= span) return 1;  // rows that one step holds whole follow each other
  // H200, lines of L1 that are still there behind so many others (experiments/l1_kept.csv), 28 KB.
  constexpr std::array others{128.0, 160.0, 192.0, 224.0, 256.0};
  constexpr std::array kept{0.95, 0.77, 0.46, 0.29, 0.09};
  const double inside = 1 - static_cast<double>(std::gcd(row, std::int64_t{sector_words})) / sector_words;
  double found = lines < others.front() ? 1 : 0;
  for (std::size_t i = 1; i < others.size(); ++i) {
    if (lines >= others[i - 1] && lines <= others[i])
      found = std::lerp(kept[i - 1], kept[i], (lines - others[i - 1]) / (others[i] - others[i - 1]));
  }
  return 1 + (1 - found) * inside * sector_words / span;
}

}  // namespace tilecast
