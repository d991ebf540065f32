#pragma once
// devices compare and devices import.

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace tilecast {

// --tolerance, --reference, --base, --name
void add_compare_options(OptionsDescription& options);

// Two profiles side by side, or one beside published values (--reference). With --tolerance only what differs
// beyond it, and exit 4 when something does.
ExitCode compare_profiles(const OptionValues& values, const std::vector<std::string>& names,
                          CommandStreams streams);

// An MT4G file as a profile; `incomplete` when the models need more than it has and --base does not fill in.
ExitCode import_profile(const OptionValues& values, const std::vector<std::string>& names,
                        CommandStreams streams);

}  // namespace tilecast
