#include "model/analytic/overlap.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilecast::analytic {

// A13. Approximate mean value analysis of a closed network of one queue: an arriving customer finds there
// what the others leave on average (Schweitzer 1979). Solves t = z + r, r = s (1 + (n - 1) r / t) for t, with
// z the time spent elsewhere.
double queued(double customers, double service, double alone) {
  const double n = std::max(1.0, customers);
  if (service <= 0) return std::max(0.0, alone);
  if (alone <= service) return n * service;
  const double elsewhere = alone - service, all = n * service;
  const double apart = all - elsewhere;
  return (all + elsewhere + std::sqrt(apart * apart + 4 * service * elsewhere)) / 2;
}

namespace {

// A13, several queues: t = alone + the waits at all of them, where the wait at one is r - s of
// r = s (1 + (n - 1) r / t), weighted by `share` (or `share_left`). The waits are convex and fall with t, so
// that Newton's method from below converges to t and never passes it.
double solve(std::span<const Queue> queues, double alone, double share, double share_left) {
  // Of each queue what the others are served there, and by t - that the weighted wait.
  struct Others {
    double service, waits;
  };
  constexpr std::size_t most_queues = 3;
  std::array<Others, most_queues> all;
  std::size_t count = 0;
  double t = std::max(0.0, alone);
  for (const auto& queue : queues) {
    const double customers = std::max(1.0, queue.customers);
    t = std::max(t, customers * queue.service);
    const double others = (customers - 1) * queue.service;
    if (others > 0) all.at(count++) = {others, (queue.left ? share_left : share) * queue.service * others};
  }
  constexpr int most_steps = 30;
  constexpr double near = 1e-7;
  for (int i = 0; i < most_steps; ++i) {
    double later = alone - t, slope = 1;
    for (const auto& others : std::span(all).first(count)) {
      const double rate = 1 / (t - others.service);
      const double wait = others.waits * rate;
      later += wait;
      slope += wait * rate;
    }
    if (later <= near * t) break;
    t += later / slope;
  }
  return t;
}

}  // namespace

double queued_at(std::span<const Queue> queues, double alone, double of_left) {
  double services = 0;
  for (const auto& queue : queues) {
    if (!queue.left) services += queue.service;
  }
  // A customer that alone takes less than the sum of its services is at several queues at the same time, and
  // so overlaps as large a part of its waits.
  const double apart = services > alone ? std::max(0.0, alone) / services : 1;
  return solve(queues, alone, apart, of_left * apart);
}

double queued_with(double p, std::span<const Queue> queues, double alone, double of_left) {
  return solve(queues, alone, p, of_left);
}

double share_of_waits(std::span<const Queue> queues, double alone, double together) {
  double waits = 0;
  for (const auto& queue : queues) {
    const double others = (std::max(1.0, queue.customers) - 1) * queue.service;
    if (others > 0) waits += queue.service * others / (together - others);
  }
  return waits > 0 ? std::max(0.0, together - alone) / waits : 0;
}

double queued_at_two(double first_customers, double first, double second_customers, double second,
                     double alone) {
  const Queue queues[] = {{first_customers, first}, {second_customers, second}};
  return queued_at(queues, alone);
}

double pipelined(double rounds, double first, double second) {
  return std::max(first, second) + std::min(first, second) / std::max(1.0, rounds);
}

}  // namespace tilecast::analytic
