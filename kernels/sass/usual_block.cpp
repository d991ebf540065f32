#include "kernels/sass/usual_block.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/sass/followed_loops.hpp"

namespace tilecast::sass {

namespace {

Counts counts_of_warp(const Executor& executor, const BlockIndex& block, int warp, bool costs) {
  Counts counts;
  FollowedLoops loops;
  executor.run_warp(block, warp, counts, {.loops = &loops, .costs = costs});
  return counts;
}

double work_of(const Program& program, const Counts& counts, double store = 1) {
  double threads = (store - 1) * of_class(program, counts, OpClass::global_store).threads;
  for (const auto& count : counts.instructions)
    threads += count.threads;
  return threads;
}

// Tiles of two axes: of the tile in the middle and two elsewhere along the axis of rows the one whose first
// and last warps have neither the most nor the least to do; where all have as much, packets to store.
ReadBlock usual_tile(const Program& program, const Executor& executor, const BlockIndex& middle,
                     std::int64_t row_blocks, std::int64_t rows) {
  constexpr double place = 0.118;  // from the middle: no simple part of the whole, as ends of images are
  const auto apart = static_cast<std::int64_t>(std::lround(place * static_cast<double>(rows)));
  struct Candidate {
    double work = 0, packets = 0;
    int place = 0;
    auto operator<=>(const Candidate&) const = default;
  };
  std::array<BlockIndex, 3> at{middle, middle, middle};
  at[1].x -= apart * row_blocks;
  at[2].x += apart * row_blocks;
  std::array<Candidate, 3> candidates;
  for (std::size_t i = 0; i < at.size(); ++i) {
    candidates[i].place = static_cast<int>(i);
    const int last = executor.warps_per_block() - 1;
    for (int warp = 0; warp <= last; warp += std::max(1, last)) {
      const auto counts = counts_of_warp(executor, at[i], warp, true);
      const auto stores = of_class(program, counts, OpClass::global_store);
      candidates[i].work += work_of(program, counts);
      candidates[i].packets += stores.sectors + stores.masks;
    }
  }
  std::ranges::sort(candidates);
  auto usual = candidates[1];
  // Of equal ones the one in the middle.
  if (candidates[0].work == usual.work && candidates[0].packets == usual.packets) usual = candidates[0];
  return {at[static_cast<std::size_t>(usual.place)], std::nullopt};
}

}  // namespace

double work_of_last_warp(const Program& program, const Executor& executor, const BlockIndex& block,
                         double store) {
  return work_of(program, counts_of_warp(executor, block, executor.warps_per_block() - 1, false), store);
}

ReadBlock usual_block(const Program& program, const Executor& executor, const LaunchPlan& plan) {
  const auto cluster = std::max<std::int64_t>(1, plan.cluster_x);
  const auto clusters = plan.grid_x / cluster;
  // The last tile along each axis may be a remainder.
  const auto in_row = std::max<std::int64_t>(1, plan.tiles_in_row), rows = clusters / in_row;
  const auto tile = plan.tiles_in_row > 0 ? (rows - 1) / 2 * in_row + (in_row - 1) / 2 : (clusters - 1) / 2;
  const BlockIndex first{tile * cluster + cluster - 1, (plan.grid_y - 1) / 2, (plan.grid_z - 1) / 2};
  constexpr std::int64_t some_rows = 8;
  if (plan.tiles_in_row > 0 && rows > some_rows)
    return usual_tile(program, executor, first, in_row * cluster, rows);
  auto second = first;
  if (plan.tiles_in_row > 0 && (in_row > 2 || rows > 2)) {
    second.x += (in_row > 2 ? 1 : in_row) * cluster;
  } else if (plan.tiles_in_row == 0 && clusters > 1) {
    second.x += cluster;
  } else if (plan.grid_y > 1) {
    ++second.y;
  } else {
    return {first, std::nullopt};
  }
  const ReadBlock one{first, work_of_last_warp(program, executor, first)};
  const ReadBlock other{second, work_of_last_warp(program, executor, second)};
  return *other.work > *one.work ? other : one;
}

}  // namespace tilecast::sass
