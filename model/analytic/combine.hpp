#pragma once
// Combines the bounds into the time of one trip (EQUATIONS.md A10), where the machine code is not known.

#include <array>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// The bounds of one trip: of all the wave's blocks together, and of one block alone, which gets only its
// share of the bandwidth.
struct TripBounds {
  Seconds fma{}, issue{}, shared{}, l2{}, dram{};                      // all blocks of the wave
  Seconds own_fma{}, own_issue{}, own_shared{}, own_l2{}, own_dram{};  // one block
  Waiting waiting{};
  Seconds barrier{};
  bool takes_turns = false;  // waits_for_itself()
};

using Enabled = std::array<bool, bound_count>;

// Bounds that are switched off are zero.
TripBounds trip_bounds(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine,
                       const Enabled& enabled);

Seconds trip_time(const TripBounds& bounds);

// By BoundId, factors by which to multiply the bounds' times.
using Factors = std::array<double, bound_count>;
TripBounds scaled(const TripBounds& bounds, const Factors& factors);

}  // namespace tilecast::analytic
