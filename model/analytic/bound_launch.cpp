#include <algorithm>
#include <cmath>

#include "model/analytic/bounds.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast::analytic {
namespace {

// A8. Stand-ins (experiments/launch_room.csv): by how much a launch is shorter for each block fewer that an
// SM has room for; and what kernels that read an argument and leave take longer than those that only leave.
constexpr Cycles a_place{2}, until_left{53};

// A8. Interval between empty kernels of a replayed graph, without clusters. From the table over blocks an SM
// and threads where measured, else from a grid of one block an SM and the dispatch of further blocks, else
// from a single block.
Seconds interval_of_empty(double blocks_per_sm, double threads, const Machine& machine) {
  const DeviceProfile& device = *machine.profile;
  const double blocks = std::max(1.0, blocks_per_sm);
  const Table2D& table = device.launch_over_blocks_and_threads;
  if (table.present()) {
    const double inside = interpolate(table, blocks, threads);
    const std::size_t rows = table.rows.size();
    if (blocks <= table.rows.back() || rows < 2) return Seconds{inside};
    // Beyond the table: the slope of its last two rows.
    const double step = table.rows[rows - 1] - table.rows[rows - 2];
    const double slope = (inside - interpolate(table, table.rows[rows - 2], threads)) / step;
    return Seconds{inside + (blocks - table.rows.back()) * std::max(0.0, slope)};
  }
  if (device.launch_grid.present()) {
    return device.launch_grid.get() + (blocks - 1) * device.block_dispatch.value_or(Cycles{}) / machine.clock;
  }
  return device.launch_graph.value_or(Seconds{});
}

// A8. How much shorter than `on_all` (one block on every SM) the interval is with fewer blocks than SMs. It
// lies between that of a single block and `on_all`; the exponent is a stand-in: H200, `empty` of
// experiments/few_blocks.csv.
Seconds sooner_of_few(double blocks_per_sm, Seconds on_all, const Machine& machine) {
  if (blocks_per_sm >= 1 || machine.sms <= 1 || !machine.profile->launch_graph.present()) return Seconds{};
  const Seconds single =
      machine.profile->launch_graph.get() - machine.less_room_than_single * a_place / machine.clock;
  const double reached =
      std::log(std::max(1.0, blocks_per_sm * machine.sms)) / std::log(static_cast<double>(machine.sms));
  return (1 - std::pow(reached, 1.5)) * std::max(Seconds{}, on_all - single);
}

// A8. Dispatch time of a further block in clusters, over that without clusters. Stand-in: H200 grids of
// blocks that exit at once, 0.60 ns a block without clusters, 0.90, 0.75, 0.68, 0.64 in clusters of 2, 4, 8,
// 16 (experiments/cluster_dispatch.csv).
double pace_of_clusters(double threads, const Machine& machine) {
  const Table2D& paces = machine.profile->block_launch_over_cluster_and_threads;
  if (!paces.present()) return 1 + 1 / machine.cluster;
  return interpolate(paces, machine.cluster, threads) / interpolate(paces, 1, threads);
}

// A8. Of kernels that take `stay` less than the probe's. With clusters the first block of each SM takes
// longer, and further ones are dispatched at another pace.
Seconds launch_of_blocks(double blocks_per_sm, double threads, const Machine& machine, Cycles stay) {
  const Seconds sooner = (stay + machine.less_room * a_place) / machine.clock;
  const auto without_clusters = [&](double blocks) {
    return std::max(Seconds{}, interval_of_empty(blocks, threads, machine) - sooner);
  };
  const Seconds all = without_clusters(blocks_per_sm);  // fewer than one count as one
  const Seconds longer = machine.local_memory ? stand_in::local_memory_launch : Seconds{};  // S16
  if (machine.cluster <= 1) return all - sooner_of_few(blocks_per_sm, all, machine) + longer;
  const Seconds one = blocks_per_sm <= 1 ? all : without_clusters(1);
  const Curve& clusters = machine.profile->launch_cluster_over_blocks;
  constexpr double curve_threads = 256;
  const Seconds of_cluster = clusters.present() ? Seconds{interpolate(clusters, machine.cluster)} -
                                                      interval_of_empty(1, curve_threads, machine)
                                                : Seconds{};
  const Seconds in_clusters = one + std::max(Seconds{}, of_cluster);
  return in_clusters + pace_of_clusters(threads, machine) * (all - one) -
         sooner_of_few(blocks_per_sm, in_clusters, machine) + longer;
}

}  // namespace

Seconds launch_time(double blocks_per_sm, double threads, const Machine& machine) {
  return launch_of_blocks(blocks_per_sm, threads, machine, {});
}

Seconds launch_beside_work(double blocks_per_sm, double threads, const Machine& machine) {
  const DeviceProfile& device = *machine.profile;
  const bool of_readers = device.launch_over_blocks_and_threads.present() || device.launch_grid.present();
  return launch_of_blocks(blocks_per_sm, threads, machine, of_readers ? until_left : Cycles{});
}

// A8.
Seconds replacement_time(double threads, const Machine& machine) {
  const Cycles block = machine.cluster > 1 ? stand_in::next_of_cluster : stand_in::next_block;
  return (block + Cycles{threads / stand_in::threads_a_cycle}) / machine.clock;
}

}  // namespace tilecast::analytic
