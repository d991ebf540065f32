#include "kernels/chang_multi/slice_requests.hpp"

#include <algorithm>
#include <numeric>

#include "model/units/hardware_sizes.hpp"

namespace tilecast::chang_multi {
namespace {

// For each sector that is copied in runs of so many neighbouring bytes, which begin at multiples of `unit`
// bytes: one request for each line, or for two sectors where these are more.
double lookups_a_sector(double run, std::int64_t unit) {
  const double sectors = run / sector_bytes;
  if (sectors < 2) return 1;
  constexpr double cut = 0.25;  // a run, mean over the places in a line where it may begin
  const bool whole = unit % line_bytes == 0 || (sectors >= 4 && unit % (2 * sector_bytes) == 0);
  return 0.5 + (whole ? 0 : cut / sectors);
}

}  // namespace

double input_lookups(const ConvShape& shape, const Geometry& g, Bytes asked) {
  const std::int64_t step = shape.K == 1 ? shape.H * shape.W : std::gcd(shape.W, shape.H * shape.W);
  return asked.value() / sector_bytes * lookups_a_sector(4.0 * line_lanes(g) * g.vector, 4 * step);
}

double filter_lookups(std::int64_t taps, const Geometry& g, Bytes asked, Bytes once) {
  // A warp copies eight weights of four filters, which share lines where they are shorter, or more of fewer.
  const std::int64_t filter_bytes = 4 * taps;
  const double eights = std::min(copy_groups_r(g), (g.segment + 7) / 8);
  const double beside = filter_bytes < line_bytes ? 4.0 * static_cast<double>(filter_bytes) : 0;
  const double in_runs =
      asked.value() / sector_bytes * lookups_a_sector(std::max(beside, sector_bytes * eights), filter_bytes);
  // Eight weights that begin inside a sector have two, but mostly of one line.
  const double eight_alone = 1 + 0.25 * (1 - static_cast<double>(std::gcd(taps, 8)) / 8);
  return std::min(in_runs, eight_alone * once.value() / sector_bytes);
}

}  // namespace tilecast::chang_multi
