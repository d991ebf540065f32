#pragma once
// Queueing of several customers (warps, blocks) for shared resources (EQUATIONS.md A13).

#include <span>

namespace tilecast::analytic {

// Time until each of `customers` has used a resource for `service`, if one of them alone takes `alone` (at
// least `service`). Each visits it many times for a short while and waits for those that came before. Any
// unit; fewer than one customer count as one.
double queued(double customers, double service, double alone);

// The same if each customer visits several resources in turn, with its own number of customers at each.
struct Queue {
  double customers = 1, service = 0;
  bool left = false;  // nobody stays for the service (a store): it is no part of `alone`
};
// The waits for queues that are `left` count `of_left`.
double queued_at(std::span<const Queue> queues, double alone, double of_left = 1);
// With p given, the share of the waits that do not overlap; for queues that are `left` it is `of_left`.
double queued_with(double p, std::span<const Queue> queues, double alone, double of_left = 1);
// The inverse: the p with which the time is `together` (at least `alone`, and more than each resource needs
// for all customers).
double share_of_waits(std::span<const Queue> queues, double alone, double together);
// Two resources.
double queued_at_two(double first_customers, double first, double second_customers, double second,
                     double alone);

// Time of a two-stage pipeline of `rounds` rounds; `first` and `second` are the stages' times summed over all
// rounds.
double pipelined(double rounds, double first, double second);

}  // namespace tilecast::analytic
