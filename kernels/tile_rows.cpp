#include "kernels/tile_rows.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/wavefronts.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

void split_rows(Stream& written, const TileRows& tile) {
  // Between the ends of neighbours running blocks store so much of what they hold: by block timelines of ten
  // chang_multi configs 0.02 to 0.12 on average (one of 0.31), of four of implicit_gemm 0.09 to 0.23.
  constexpr double drift = 0.1;
  const double inside = 1 - aligned_share(tile.row);
  const auto columns = static_cast<double>(std::min(tile.columns, tile.row));
  written.split[0] = {inside / (4 * columns), Bytes{drift * tile.tile_bytes},
                      Bytes{tile.blocks_to_next * tile.tile_bytes}};
  written.lines_apart = lines_apart(tile.row, std::min(tile.span, columns));
  written.split_at_once = inside * std::max(0.0, columns / tile.span - 1) / (4 * columns);
}

double lines_apart(std::int64_t starts, double span) {
  if (span < line_words) return 1;
  const double inside = 1 - static_cast<double>(std::gcd(starts, std::int64_t{line_words})) / line_words;
  return inside * line_words / span;
}

}  // namespace tilecast
