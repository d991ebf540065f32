#pragma once
// Where both of our models have said a time of the same kernel: whether they are so far apart that the reader
// should know. The warning goes to stderr, beside whatever the command writes.

#include <span>
#include <string>

#include "model/units/quantity.hpp"

namespace tilecast {

// What counts as large, as a ratio of the two times: THE place where that is said. Of 9 in 10 recorded
// kernels each model is within 10 % or so of the measured time (README.md); two such are within 1.25 of each
// other.
constexpr double large_disagreement = 1.25;

bool disagree(Seconds sim, Seconds analytic);

struct TwoTimes {
  std::string kernel;  // for people
  Seconds sim{}, analytic{};
};

// One line that counts the kernels whose times are further apart, and names the one that is furthest; empty
// where there is none.
std::string disagreement_warning(std::span<const TwoTimes> kernels);

}  // namespace tilecast
