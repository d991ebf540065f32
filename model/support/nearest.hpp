#pragma once
// "Did you mean": the known name closest to what was typed.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilecast {

// Levenshtein distance (insert, delete, substitute cost 1 each).
int edit_distance(std::string_view a, std::string_view b);

// The known name nearest to `name`, unless every one is more than half of `name`'s length away.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known);

// "did you mean 'x'?" or "known: a, b, c", ready to be an Error's hint.
std::string nearest_hint(std::string_view name, std::span<const std::string> known);

}  // namespace tilecast
