#include "kernels/sass/grid_counts.hpp"

#include <algorithm>

namespace tilecast::sass {
namespace {

bool same_issue(const Counts& a, const Counts& b) {
  return std::ranges::equal(a.instructions, b.instructions, {}, &InstructionCount::executed,
                            &InstructionCount::executed);
}

class GridCounter {
 public:
  GridCounter(const Executor& executor, const LaunchPlan& plan, const GridSampling& sampling)
      : executor_(executor),
        cluster_(std::max<std::int64_t>(1, plan.cluster_x)),
        sizes_{plan.grid_x / cluster_, plan.grid_y, plan.grid_z},
        sampling_(sampling) {
    all_ = plan.grid_x * plan.grid_y * plan.grid_z <= sampling.execute_all_up_to;
  }

  GridCounts count() {
    GridCounts result;
    result.counts = plane(2, {});
    result.blocks = cluster_ * sizes_[0] * sizes_[1] * sizes_[2];
    result.executed_blocks = executed_;
    return result;
  }

 private:
  using Place = std::array<std::int64_t, 3>;  // of a cluster

  Counts cluster_at(const Place& place) {
    Counts sum;
    for (std::int64_t rank = 0; rank < cluster_; ++rank) {
      sum += execute_block(executor_, {place[0] * cluster_ + rank, place[1], place[2]});
      ++executed_;
    }
    return sum;
  }

  // Sum over dimensions 0 to `dimension`, the others being fixed by `place`.
  Counts plane(int dimension, Place place) {
    if (dimension < 0) return cluster_at(place);
    const auto at = [&](std::int64_t index) {
      auto next = place;
      next[static_cast<std::size_t>(dimension)] = index;
      return plane(dimension - 1, next);
    };
    const std::int64_t last = sizes_[static_cast<std::size_t>(dimension)] - 1;
    Counts sum = at(0);
    if (last == 0) return sum;
    const Counts first_counts = sum, last_counts = at(last);
    sum += last_counts;
    sum += between(0, first_counts, last, last_counts, at);
    return sum;
  }

  // Sum over the open interval (low, high) of a line.
  template <class At>
  Counts between(std::int64_t low, const Counts& low_counts, std::int64_t high, const Counts& high_counts,
                 const At& at) {
    const std::int64_t inside = high - low - 1;
    if (inside <= 0) return {};
    if (!all_ && inside > sampling_.probes && same_issue(low_counts, high_counts)) {
      Counts probed;
      bool same = true;
      for (int i = 0; i < sampling_.probes && same; ++i) {
        const auto counts = at(low + 1 + inside * (2 * i + 1) / (2 * sampling_.probes));
        same = same_issue(counts, low_counts);
        probed += counts;
      }
      if (same) return probed *= static_cast<double>(inside) / sampling_.probes;
    }
    const std::int64_t middle = low + (high - low) / 2;
    const auto middle_counts = at(middle);
    Counts sum = middle_counts;
    sum += between(low, low_counts, middle, middle_counts, at);
    sum += between(middle, middle_counts, high, high_counts, at);
    return sum;
  }

  const Executor& executor_;
  std::int64_t cluster_;
  std::array<std::int64_t, 3> sizes_;  // in clusters along x
  GridSampling sampling_;
  bool all_ = false;
  std::int64_t executed_ = 0;
};

}  // namespace

GridCounts count_grid(const Executor& executor, const LaunchPlan& plan, const GridSampling& sampling) {
  return GridCounter(executor, plan, sampling).count();
}

}  // namespace tilecast::sass
