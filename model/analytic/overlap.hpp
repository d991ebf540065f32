#pragma once
// How much of their waiting several customers of one resource hide for each other (EQUATIONS.md A13).

namespace tilecast::analytic {

// Time until `customers` have each had `service` of a resource, when one of them alone takes `alone` (at
// least `service`). Any unit; `customers` may be a fraction below 1, which counts as 1.
double overlapped(double customers, double service, double alone);

}  // namespace tilecast::analytic
