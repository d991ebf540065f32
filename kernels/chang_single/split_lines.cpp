#include "kernels/chang_single/split_lines.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/chang_single/block_work.hpp"
#include "model/device/occupancy.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::chang_single {
namespace {

using Splits = std::array<SplitSectors, 4>;

// Strips begin at multiples of so many words of the output.
std::int64_t strips_begin(const ConvShape& shape, const Division& d) {
  const std::int64_t row = shape.out_w(), plane = shape.out_h() * row;
  return std::gcd(std::gcd(plane, d.rows_per_block * row), d.rows_per_strip * row);
}

// The share of the units that begin inside a sector, or a line, of so many words of the output.
double units_inside(const ConvShape& shape, const Division& d, std::int64_t words) {
  const std::int64_t starts = d.tile_y > 1 ? shape.out_w() : strips_begin(shape, d);
  std::int64_t inside = 0;
  for (std::int64_t i = 0; i < words; ++i)
    inside += i * starts / d.align * d.align % words != 0 ? 1 : 0;
  return as_double(inside) / as_double(words);
}

// Where units begin at sectors, only strips end inside one: the first unit of the next strip fills the rest,
// that of another block, or this block's next step. A warp visits a unit with all its filters before the
// next, so that a strip's last unit is stored so many visits behind its first.
Splits split_strips(const ConvShape& shape, const Division& d) {
  // Of a step: by block timelines a block's last warp ends one of 33 to 133 MB (1024 x 1024, 5 x 5) 0.15 to
  // 0.22 of its time behind the first; half as much on average over the step.
  constexpr double drift = 0.1;
  const std::int64_t row = shape.out_w(), starts = strips_begin(shape, d);
  double inside = 0;
  for (std::int64_t i = 0; i < sector_words; ++i)
    inside += i * starts % sector_words != 0 ? 1.0 / sector_words : 0;
  const std::int64_t words = std::min(d.rows_per_strip, d.rows_per_block) * row;
  const WarpWork warp = d.warp(0);
  const double visits = as_double(parts(parts(words, unit_words(d.tile_x)), warp.unit_step));
  // Filters of other leads come in passes of their own.
  const double passes =
      std::min(as_double(warp.filter_step) / as_double(warp.filter_lanes), as_double(d.filters_per_piece));
  const double strips = as_double(parts(d.rows_per_block, d.rows_per_strip));
  const double per_byte = inside / as_double(4 * words), step = 4 * as_double(d.filters_per_piece * words);
  const double last_visit = (1 - 1 / visits) / passes;
  return {SplitSectors{per_byte / strips, Bytes{step * (drift + strips - 1 + last_visit)}},
          SplitSectors{per_byte * (1 - 1 / strips), Bytes{step * (1 - last_visit)}}};
}

// Warps that share a scheduler, of the blocks that an SM runs at once.
double warps_on_scheduler(const LaunchShape& launch, const DeviceProfile& device) {
  const double blocks = std::min(as_double(occupancy(launch, device).blocks_per_sm),
                                 as_double(parts(launch.blocks, device.sm_count.get())));
  return blocks * as_double(launch.threads) / threads_per_warp / as_double(device.schedulers_per_sm.get());
}

// By how much of a visit a warp is apart from the next one, on average over so many visits: they wait for
// nothing, and a scheduler goes on with the warp that it has. H200, block timelines with so many warps on a
// scheduler (experiments/visit_gaps.csv).
double warps_apart(double visits, double warps) {
  static const Curve gap{.x = {1, 2, 4}, .y = {0.007, 0.022, 0.085}};  // of a visit, x sqrt(visit)
  const double mean_root = 2.0 / 3 * std::sqrt(visits);
  return mean_root * interpolate(gap, warps);
}

// Units that may begin inside a sector. Where one does, its row's words before it are those of the unit in
// front, and where a row ends the next row of the same tiles begins, as many units in front as a row has.
// These are other warps', of the same visits, or of so many visits before.
Splits split_units(const ConvShape& shape, const Division& d, double warps) {
  const double row = as_double(shape.out_w()), unit = as_double(unit_words(d.tile_x));
  const double step = as_double(d.warp(0).unit_step);
  const std::int64_t rows = std::min(d.rows_per_strip, d.rows_per_block);
  const double units = std::ceil(as_double(parts(rows, d.tile_y)) * row / unit);
  const double visits = std::ceil(units / step);
  const double visit = 4 * as_double(d.filters_per_piece * d.tile_y) * step * unit;  // bytes

  const double inside = units_inside(shape, d, sector_words);
  const double only_lines = units_inside(shape, d, line_words) - inside;
  Splits splits;
  const auto add = [&](std::size_t i, double per_byte, double visits_apart) {
    splits[i] = {inside * per_byte, Bytes{visits_apart * visit}, Bytes{}, only_lines * per_byte};
  };
  const double of_units = 1 / (4 * unit), of_rows = (1 - 1 / as_double(d.tile_y)) / (4 * row);
  const bool again = visits > 1;
  const double later = again ? 1 / step : 0;                  // of the units
  const double between_rows = again ? row / unit / step : 0;  // visits: so many, or one more
  const double fewer = std::floor(between_rows), with_more = between_rows - fewer;
  const double same_visit = fewer == 0 ? (1 - with_more) * of_rows : 0;
  add(0, (1 - later) * of_units + same_visit, warps_apart(visits, warps));
  add(1, later * of_units, 1);
  if (fewer > 0) add(2, (1 - with_more) * of_rows, fewer);
  add(3, with_more * of_rows, fewer + 1);
  return splits;
}

}  // namespace

// A strip's last unit is a shorter one, and what its first one stores begins where the strip does.
double lines_apart(const ConvShape& shape, const Division& d) {
  const std::int64_t unit = unit_words(d.tile_x), line = line_words;
  if (unit < line) return 1;
  const double units = units_inside(shape, d, line);
  if (d.tile_y > 1) return units * as_double(line) / as_double(unit);
  const std::int64_t strip = std::min(d.rows_per_strip, d.rows_per_block) * shape.out_w();
  const double begins = 1 - as_double(std::gcd(strips_begin(shape, d), line)) / as_double(line);
  return std::min(1.0,
                  (begins + units * as_double(parts(strip, unit) - 1)) * as_double(line) / as_double(strip));
}

Splits split_sectors(const ConvShape& shape, const Division& d, const LaunchShape& launch,
                     const DeviceProfile& device) {
  const bool at_sectors = d.tile_y == 1 && units_inside(shape, d, sector_words) == 0;
  return at_sectors ? split_strips(shape, d) : split_units(shape, d, warps_on_scheduler(launch, device));
}

}  // namespace tilecast::chang_single
