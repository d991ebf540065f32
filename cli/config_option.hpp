#pragma once
// --config NAME=VALUE,...: some axes of a config; also with blanks between them, as configs are printed.

#include <string_view>

#include "model/workload/config.hpp"

namespace tilecast {

// `axes` is any config of the family: it has every axis. Throws UsageError for another name or no integer.
Config parse_config(std::string_view text, const Config& axes);

// Every axis that `wanted` names has its value.
bool matches(const Config& config, const Config& wanted);

}  // namespace tilecast
