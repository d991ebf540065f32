#pragma once
// From cycles of chosen loops to the constants of an SM's memory pipeline. Pure; tested on made-up cycles.

#include <optional>
#include <span>

namespace tilecast {

// Loads that are on their way to the SM's pipe for each scheduler when its warp has to wait, from how long
// issuing `loads` in a row took beyond issuing one, when each keeps the pipe so long that `loads` more take
// `cycles_a_load` more each: the last is issued when the one that stood so many places before it has gone to
// the pipe. `schedulers` at work are served in turn; the cycles are of the last of them.
double loads_held(double loads, double cycles, double cycles_a_load, int schedulers);

// A queue of each scheduler and one that the SM's four share, from the loads held with one scheduler at work
// (which has the shared one to itself) and with all four.
struct Queues {
  double of_scheduler = 0, shared = 0;
};
Queues queues_of(double held_by_one, double held_by_each_of_four);

// The whole number that all of `samples` lie within a quarter of; nothing where they do not agree on one.
std::optional<int> agreed_whole(std::span<const double> samples);

// Issue slots that each of `loads` loads takes from a loop besides its own, from the cycles of a round of one
// scheduler with and without them.
double slots_lost(double loads, double cycles_with, double cycles_without);

}  // namespace tilecast
