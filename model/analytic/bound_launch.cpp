#include <algorithm>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// A8. The interval between kernels of a replayed graph that do nothing but start: with as many blocks of as
// many threads where that is measured, else of one block a SM and its dispatch, else of a single block.
Seconds launch_time(double blocks_per_sm, double threads, const Machine& machine) {
  const DeviceProfile& device = *machine.profile;
  const double blocks = std::max(1.0, blocks_per_sm);
  const Table2D& table = device.launch_over_blocks_and_threads;
  if (table.present()) {
    const double inside = interpolate(table, blocks, threads);
    const std::size_t rows = table.rows.size();
    if (blocks <= table.rows.back() || rows < 2) return Seconds{inside};
    // Beyond the last row the dispatcher goes on at its pace of the last two.
    const double step = table.rows[rows - 1] - table.rows[rows - 2];
    const double slope = (inside - interpolate(table, table.rows[rows - 2], threads)) / step;
    return Seconds{inside + (blocks - table.rows.back()) * std::max(0.0, slope)};
  }
  if (device.launch_grid.present()) {
    return device.launch_grid.get() + (blocks - 1) * device.block_dispatch.value_or(Cycles{}) / machine.clock;
  }
  return device.launch_graph.value_or(Seconds{});
}

// Stand-ins, of H200 blocks that stay for a known time, in waves (experiments/block_waves.csv).
Seconds replacement_time(const Machine& machine) {
  constexpr Cycles block{475}, of_cluster{595};
  return (machine.cluster > 1 ? of_cluster : block) / machine.clock;
}

}  // namespace tilecast::analytic
