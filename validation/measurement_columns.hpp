#pragma once
// The columns that every file of measurements has; those of the config stand between the two groups.

#include <string_view>

namespace tilecast {

inline constexpr std::string_view measurement_leading_columns[] = {
    "family", "layer", "suite", "N", "C", "H", "W", "M", "K", "stride", "pad"};
inline constexpr std::string_view measurement_trailing_columns[] = {
    "status",        "time_s",      "time_p10_s", "time_p90_s",  "samples",
    "max_rel_error", "sm_clock_hz", "code_hash",  "tool_version"};

// Stands first among the config's axes in files that have it: those that were begun with a layer whose
// dilation is not 1. Absent or empty means 1.
inline constexpr std::string_view measurement_dilation_column = "dilation";

bool is_fixed_measurement_column(std::string_view name);

// Whether a complete line follows the comments. A run killed before its header was written leaves comments
// alone, which is no table yet.
bool has_measurement_header(std::string_view text);

}  // namespace tilecast
