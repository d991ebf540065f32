#include "model/analytic/overlap.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast::analytic {

// A13. Mean value analysis of a closed network of one queue, who comes finding there what the others leave on
// average (Schweitzer 1979): t = z + r, r = s (1 + (n - 1) r / t), solved for t; z is spent elsewhere.
double queued(double customers, double service, double alone) {
  const double n = std::max(1.0, customers);
  if (service <= 0) return std::max(0.0, alone);
  if (alone <= service) return n * service;
  const double elsewhere = alone - service, all = n * service;
  const double apart = all - elsewhere;
  return (all + elsewhere + std::sqrt(apart * apart + 4 * service * elsewhere)) / 2;
}

// Of r = s (1 + (n - 1) r / t) at each of the two what is not service is added to `alone`. The waits fall
// with t ever more slowly: Newton's steps from below come nearer to t and never pass it.
double queued_at_two(double first_customers, double first, double second_customers, double second,
                     double alone) {
  const double n = std::max(1.0, first_customers), m = std::max(1.0, second_customers);
  const double others = (n - 1) * first, others_there = (m - 1) * second;
  double t = std::max({0.0, n * first, m * second, alone});
  // Who alone takes less than one service behind the other is at both at the same time, and waits so, too.
  const double apart = first + second > alone ? alone / (first + second) : 1;
  constexpr int most_steps = 30;
  constexpr double near = 1e-7;
  for (int i = 0; i < most_steps; ++i) {
    const double wait = others > 0 ? apart * first * others / (t - others) : 0;
    const double wait_there = others_there > 0 ? apart * second * others_there / (t - others_there) : 0;
    const double later = alone + wait + wait_there - t;
    if (later <= near * t) break;
    const double slope =
        1 + (others > 0 ? wait / (t - others) : 0) + (others_there > 0 ? wait_there / (t - others_there) : 0);
    t += later / slope;
  }
  return t;
}

double pipelined(double rounds, double first, double second) {
  return std::max(first, second) + std::min(first, second) / std::max(1.0, rounds);
}

}  // namespace tilecast::analytic
