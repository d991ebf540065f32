#pragma once
// How much of their waiting several customers of one resource hide for each other (EQUATIONS.md A13).

#include <span>

namespace tilecast::analytic {

// Time until `customers` have each had `service` of a resource, when one of them alone takes `alone` (at
// least `service`): each visits it many times for a short while, and waits for those who came before. Any
// unit; `customers` may be a fraction below 1, which counts as 1.
double queued(double customers, double service, double alone);

// The same where each visits several resources by turns, and so many meet at each of them.
struct Queue {
  double customers = 1, service = 0;
  bool left = false;  // whoever has come there goes on: its own service is no part of `alone`
};
double queued_at(std::span<const Queue> queues, double alone);
// Where of the waits at those that it comes back from only a share is not at the same time.
double queued_at(std::span<const Queue> queues, double alone, double share);
// That share, when `together` is the time (at least `alone`, and more than all customers need of each).
double share_of_waits(std::span<const Queue> queues, double alone, double together);
// Of two.
double queued_at_two(double first_customers, double first, double second_customers, double second,
                     double alone);

// Time until `rounds` have passed two stages one after the other, `first` and `second` of all of them, when
// the next one's first stage goes on beside the second of the one before.
double pipelined(double rounds, double first, double second);

}  // namespace tilecast::analytic
