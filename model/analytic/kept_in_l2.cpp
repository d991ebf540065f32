#include "model/analytic/kept_in_l2.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilecast::analytic {
namespace {

struct Point {
  double of_l2;  // bytes / size of L2
  double share;
};

// A5. H200, profiler's counters over sets that are read again and again, each piece by one block, or by two
// or four that are next to each other (microbench/results/nvidia-h200/experiments/read_by_several.csv). By
// one block, in the next launch (the mean with mixed_sets.csv, `many`, nothing written: three places) or, by
// 2, 4 and 8 blocks a whole walk apart, in the same launch (the mean with one block of the former).
constexpr std::array read_in_next_launch{Point{0.54, 0},     Point{0.57, 0.09},  Point{0.64, 0.12},
                                         Point{0.70, 0.31},  Point{0.76, 0.64},  Point{0.79, 0.82},
                                         Point{0.83, 0.88},  Point{0.89, 0.954}, Point{0.95, 0.98},
                                         Point{1.02, 0.994}, Point{1.14, 1}};
constexpr std::array read_once{Point{0.48, 0},    Point{0.51, 0.02}, Point{0.54, 0.06}, Point{0.57, 0.11},
                               Point{0.64, 0.14}, Point{0.70, 0.29}, Point{0.76, 0.54}, Point{0.83, 0.78},
                               Point{0.89, 0.90}, Point{0.95, 0.96}, Point{1.02, 1}};
constexpr std::array read_twice{Point{0.45, 0},    Point{0.48, 0.02}, Point{0.51, 0.05}, Point{0.54, 0.10},
                                Point{0.57, 0.12}, Point{0.60, 0.22}, Point{0.64, 0.31}, Point{0.70, 0.51},
                                Point{0.76, 0.89}, Point{0.83, 0.98}, Point{0.89, 1}};
constexpr std::array read_often{Point{0.41, 0},    Point{0.45, 0.003}, Point{0.48, 0.01}, Point{0.51, 0.06},
                                Point{0.54, 0.10}, Point{0.57, 0.33},  Point{0.60, 0.52}, Point{0.64, 0.76},
                                Point{0.70, 0.97}, Point{0.76, 1}};
// By blocks of one wave, which are on the same SMs in each launch: by one of them, or by neighbours
// (l2_again_and_again.csv, `read`; mixed_sets.csv, `one`).
constexpr std::array read_by_same_sms{Point{0.57, 0},    Point{0.64, 0.02}, Point{0.70, 0.07},
                                      Point{0.76, 0.29}, Point{0.83, 0.78}, Point{0.89, 0.97},
                                      Point{1.02, 1}};
// Likewise, of tiled products, whose blocks all read one of the factors (lone_places.csv).
constexpr std::array read_by_same_tiles{Point{0.55, 0},     Point{0.566, 0.012}, Point{0.60, 0.04},
                                        Point{0.672, 0.19}, Point{0.706, 0.35},  Point{0.774, 0.69},
                                        Point{0.859, 0.97}, Point{0.944, 0.994}, Point{1.02, 1}};
// Four that are not next to each other (mixed_sets.csv).
constexpr std::array read_apart{Point{0.38, 0},      Point{0.445, 0.002}, Point{0.509, 0.25},
                                Point{0.572, 0.845}, Point{0.636, 0.993}, Point{0.70, 1}};
// A5. H200, profiler's counters over sets that are written again and again (written_orders.csv, means of
// three places in memory): walks that write 1, 2, 4 and 8 MB each time in another order; where each line
// comes at once, and where it comes in two parts with others between.
constexpr std::array reordered{1 / 60.0, 2 / 60.0, 4 / 60.0, 8 / 60.0};  // of L2
using WrittenShares = std::array<double, reordered.size()>;
struct WrittenAgain {
  double of_l2;
  WrittenShares whole, apart;
};
constexpr std::array written_again{
    WrittenAgain{0.3814, {0.013, 0.013, 0.014, 0.014}, {0.058, 0.056, 0.050, 0.042}},
    WrittenAgain{0.4132, {0.042, 0.042, 0.044, 0.047}, {0.171, 0.171, 0.149, 0.125}},
    WrittenAgain{0.4450, {0.103, 0.106, 0.112, 0.118}, {0.436, 0.427, 0.381, 0.319}},
    WrittenAgain{0.4768, {0.223, 0.215, 0.213, 0.212}, {0.690, 0.675, 0.618, 0.522}},
    WrittenAgain{0.4927, {0.369, 0.347, 0.308, 0.292}, {0.799, 0.782, 0.735, 0.632}},
    WrittenAgain{0.5086, {0.487, 0.454, 0.385, 0.361}, {0.922, 0.905, 0.857, 0.745}},
    WrittenAgain{0.5293, {0.688, 0.637, 0.508, 0.465}, {0.974, 0.962, 0.940, 0.835}},
    WrittenAgain{0.5563, {0.880, 0.822, 0.696, 0.616}, {0.992, 0.989, 0.980, 0.915}},
    WrittenAgain{0.5881, {0.973, 0.921, 0.851, 0.765}, {1, 1, 1, 0.974}},
    WrittenAgain{0.6358, {0.980, 0.979, 0.979, 0.946}, {1, 1, 1, 1}},
    WrittenAgain{0.6993, {0.981, 0.980, 0.981, 0.981}, {1, 1, 1, 1}}};

double share_of(const WrittenShares& shares, double window) {
  std::size_t i = 1;
  while (i + 1 < reordered.size() && reordered[i] < window)
    ++i;
  const double along = std::log2(window / reordered[i - 1]) / std::log2(reordered[i] / reordered[i - 1]);
  return std::lerp(shares[i - 1], shares[i], std::clamp(along, 0.0, 1.0));
}

constexpr double little_of_l2 = 0.318;  // 20 MB: nothing of it (written_again.csv)

template <std::size_t n>
double share_at(const std::array<Point, n>& points, double of_l2) {
  if (of_l2 <= points.front().of_l2) return points.front().share;
  for (std::size_t i = 1; i < n; ++i) {
    const auto& [x, y] = points[i];
    const auto& [before_x, before_y] = points[i - 1];
    if (of_l2 < x) return before_y + (y - before_y) * (of_l2 - before_x) / (x - before_x);
  }
  return points.back().share;
}

// Of a set that takes so much of L2, each piece of it read by 2^row neighbours.
double share_in_row(double row, double of_l2, Again again) {
  if (row == 1) return share_at(read_twice, of_l2);
  if (row == 2) return share_at(read_often, of_l2);
  if (row == 3) return share_at(read_apart, of_l2);
  if (again == Again::by_same_sms) return share_at(read_by_same_sms, of_l2);
  if (again == Again::by_same_tiles) return share_at(read_by_same_tiles, of_l2);
  if (again == Again::in_next_launch) return share_at(read_in_next_launch, of_l2);
  return share_at(read_once, of_l2);
}

// Of a set that takes so much of L2, each piece of it read by so many neighbours at the same time.
double read_again(double of_l2, double readers, Again again) {
  const double doublings = std::clamp(std::log2(std::max(1.0, readers)), 0.0, 3.0);
  const double row = std::min(std::floor(doublings), 2.0);
  return std::lerp(share_in_row(row, of_l2, again), share_in_row(row + 1, of_l2, again), doublings - row);
}

}  // namespace

double missed(Bytes touched, double readers, const Machine& machine, Again again) {
  const auto& size = machine.profile->l2_size;
  return size.present() ? read_again(touched / size.get(), readers, again) : 0;
}

double missed_in_another_order(Bytes touched, double part, double readers, const Machine& machine,
                               Again again) {
  if (part <= 0) return missed(touched, readers, machine, again);
  // Of two places that are each anywhere in a window, how far the second is behind the first, in windows:
  // the middle of each eighth of a triangle, half of which is before it.
  constexpr std::array eighths{0.065, 0.209, 0.388, 0.646};
  double sum = 0;
  for (const double behind : eighths)
    for (const double windows : {-behind, behind})
      sum += missed((1 + windows * part) * touched, readers, machine, again);
  return sum / (2.0 * eighths.size());
}

double written_back(const WrittenSet& set, Bytes touched, const Machine& machine, Caches caches) {
  if (caches == Caches::cold) return 1;
  const auto& size = machine.profile->l2_size;
  if (!size.present()) return 0;
  const double window = std::max(reordered.front(), set.reordered / size.get());
  const auto share = [&](const WrittenAgain& p) {
    return std::lerp(share_of(p.whole, window), share_of(p.apart, window), set.lines_apart);
  };
  const double of_l2 = (set.written + set.beside) / size.get();
  const auto above = std::ranges::upper_bound(written_again, of_l2, {}, &WrittenAgain::of_l2);
  const bool below = above == written_again.begin();
  const Point from = below ? Point{little_of_l2, 0} : Point{(above - 1)->of_l2, share(*(above - 1))};
  double back = from.share;
  if (above != written_again.end() && of_l2 > from.of_l2)
    back += (share(*above) - from.share) * (of_l2 - from.of_l2) / (above->of_l2 - from.of_l2);
  const Again again = set.on_same_sms ? Again::by_same_sms : Again::in_next_launch;
  return std::max(back, read_again(touched / size.get(), 1, again));
}

}  // namespace tilecast::analytic
