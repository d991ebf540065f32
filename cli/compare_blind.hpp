#pragma once
// compare --blind: frozen predictions against the rows measured after them.

#include "cli/options.hpp"
#include "cli/program.hpp"

namespace tilecast {

// Throws UsageError for options that would change what was frozen, UnavailableError where nothing of it has
// been measured.
ExitCode compare_blind(const OptionValues& values, CommandStreams streams);

}  // namespace tilecast
