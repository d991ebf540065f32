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

}  // namespace tilecast::analytic
