#include "model/sim/tail_places.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/device/stand_ins.hpp"

namespace tilecast::sim {
namespace {

// Standard deviation of ln(measured deviation / S9's), H200, 27 kernels that store little
// (experiments/place_deviations.csv: 0.56; half the range between the 16th and 84th percentiles: 0.48).
constexpr double unlike = 0.5;

// Probability that a place is free that is so on average `later` cycles before.
double free_by(double later, double deviation) {
  if (deviation <= 0) return later >= 0 ? 1 : 0;
  return std::erfc(-later / deviation / std::numbers::sqrt2) / 2;
}

struct Places {
  const std::vector<FreePlace>& all;
  double factor = 1;      // of the deviations
  double own_factor = 1;  // more of the SM's own

  double own(const FreePlace& p) const { return own_factor * p.own; }
  double deviation(const FreePlace& p) const { return factor * std::hypot(own(p), p.stores); }
  double common(const FreePlace& p) const {
    return factor * std::hypot(std::sqrt(stand_in::places_in_common) * own(p), p.stores);
  }
  double single(const FreePlace& p) const {
    return factor * std::sqrt(1 - stand_in::places_in_common) * own(p);
  }

  // Share of the device's places that are free at that time.
  double share(double time) const {
    double sum = 0;
    for (const auto& p : all)
      sum += free_by(time - static_cast<double>(p.free), deviation(p));
    return sum / static_cast<double>(all.size());
  }

  // When that share is free.
  double time_of(double of_all) const {
    double from = 0, to = 0;
    constexpr double far = 5;
    for (const auto& p : all) {
      from = std::min(from, static_cast<double>(p.free) - far * deviation(p));
      to = std::max(to, static_cast<double>(p.free) + far * deviation(p));
    }
    while (to - from > 0.25) {
      const double middle = (from + to) / 2;
      (share(middle) < of_all ? from : to) = middle;
    }
    return to;
  }

  // Expected places free by then on the SM of `parts` that has most: the sum over k of the probability that
  // not all have k or fewer. Given what an SM's places have in common they are independent.
  double most_free(double time, double parts) const {
    constexpr double far = 4, step = 0.2;
    std::vector<double> at_most(all.size(), 0);
    std::vector<double> count(all.size() + 1);
    double whole = 0;
    for (double z = -far; z <= far + step / 2; z += step) {
      const double weight = std::exp(-z * z / 2);
      whole += weight;
      std::ranges::fill(count, 0);
      count[0] = 1;
      std::size_t seen = 0;
      for (const auto& p : all) {
        const double is_free = free_by(time - static_cast<double>(p.free) - z * common(p), single(p));
        ++seen;
        for (std::size_t k = seen; k > 0; --k)
          count[k] += is_free * (count[k - 1] - count[k]);
        count[0] *= 1 - is_free;
      }
      double sum = 0;
      for (std::size_t k = 0; k < all.size(); ++k)
        at_most[k] += weight * (sum += count[k]);
    }
    double most = 0;
    for (const double p : at_most)
      most += 1 - std::pow(std::min(1.0, p / whole), parts);
    return most;
  }

  // The device notices ends one by one, `each` cycles for the share of one place.
  double noticed(double time, double of_all, double each) const {
    const double steps = 32, places = static_cast<double>(all.size());
    const double first = time_of(0.5 / steps * of_all);
    double last = time;
    for (double n = 0; n < steps; ++n) {
      const double from = first + n / steps * (time - first);
      last = std::max(last, from + each * places * (of_all - share(from)));
    }
    return last;
  }
};

}  // namespace

TailTaken tail_taken(const std::vector<FreePlace>& places, const TailOfDevice& tail) {
  // Over the deviations' own, by Gauss and Hermite.
  struct Point {
    double deviations, weight;
  };
  constexpr Point points[] = {{-std::numbers::sqrt3, 1.0 / 6}, {0, 2.0 / 3}, {std::numbers::sqrt3, 1.0 / 6}};
  const double last = 1 - 0.5 / (tail.parts * static_cast<double>(places.size()));
  TailTaken taken;
  for (const auto& point : points) {
    const Places device{places, std::exp(unlike * point.deviations), std::sqrt(tail.waves)};
    const double of_all = std::min(tail.share, last), time = device.time_of(of_all);
    taken.most += point.weight * device.most_free(time, tail.parts);
    taken.noticed += point.weight * device.noticed(time, of_all, tail.completion);
  }
  return taken;
}

}  // namespace tilecast::sim
