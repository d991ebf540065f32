#include "kernels/sass/usual_block.hpp"

#include <algorithm>

#include "kernels/sass/followed_loops.hpp"

namespace tilecast::sass {

double work_of_last_warp(const Program& program, const Executor& executor, const BlockIndex& block,
                         double store) {
  Counts counts;
  FollowedLoops loops;
  executor.run_warp(block, executor.warps_per_block() - 1, counts, {.loops = &loops, .costs = false});
  double threads = (store - 1) * of_class(program, counts, OpClass::global_store).threads;
  for (const auto& count : counts.instructions)
    threads += count.threads;
  return threads;
}

ReadBlock usual_block(const Program& program, const Executor& executor, const LaunchPlan& plan) {
  const auto cluster = std::max<std::int64_t>(1, plan.cluster_x);
  const auto clusters = plan.grid_x / cluster;
  // The last tile along each axis may be a remainder.
  const auto in_row = std::max<std::int64_t>(1, plan.tiles_in_row), rows = clusters / in_row;
  const auto tile = plan.tiles_in_row > 0 ? (rows - 1) / 2 * in_row + (in_row - 1) / 2 : (clusters - 1) / 2;
  const BlockIndex first{tile * cluster + cluster - 1, (plan.grid_y - 1) / 2, (plan.grid_z - 1) / 2};
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
