#pragma once
// Which term of a prediction could carry its error: by how much each bound alone would have to be off.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/figure_data.hpp"

namespace tilecast {

struct ResidualTerm {
  std::string bound;
  // This bound's time times the factor would make the prediction the measured time, all else as it is;
  // nullopt: no factor would.
  std::optional<double> factor;
};

// With the bounds' times alone, t, the largest of those that overlap (fma, issue, shared, l2, dram), L, and
// r = measured - predicted: a bound that overlaps must reach L + r, a factor (L + r)/t, but only the largest
// can make the prediction shorter, and only down to the next one; latency, barrier and launch add up, (t +
// r)/t. The least change first: the term that is most likely to carry the residual.
std::vector<ResidualTerm> residual_terms(std::span<const NamedTime> bounds, Seconds predicted,
                                         Seconds measured);

// "issue x 1.2, l2 x 2.5": the `count` most likely ones; empty when no bound could.
std::string residual_text(std::span<const ResidualTerm> terms, std::size_t count);

}  // namespace tilecast
