#pragma once
// compare --fail-over: a gate for continuous integration.

#include <optional>
#include <ostream>
#include <vector>

#include "cli/options.hpp"
#include "cli/score_tables.hpp"

namespace tilecast {

// The largest median error that passes, as a share. Throws UsageError.
std::optional<double> gate_option(const OptionValues& values);

// Whether the gate failed; says where. Rivals pass: they are here to be worse.
bool over_gate(const std::vector<ScoreRow>& rows, double share, std::ostream& err);

}  // namespace tilecast
