#include "model/analytic/overlap.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast::analytic {

// A13. One alone uses the resource for a share p = service / alone of its time. If the others are anywhere in
// theirs, the resource is idle when all of them wait: (1 - p)^n of the time (Tanenbaum, Modern Operating
// Systems, "Modeling multiprogramming").
double overlapped(double customers, double service, double alone) {
  const double n = std::max(1.0, customers);
  if (service <= 0) return std::max(0.0, alone);
  if (alone <= service) return n * service;
  return n * service / (1 - std::pow(1 - service / alone, n));
}

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

double pipelined(double rounds, double first, double second) {
  return std::max(first, second) + std::min(first, second) / std::max(1.0, rounds);
}

}  // namespace tilecast::analytic
