#pragma once
// JSON as every file of ours is read.

#include <nlohmann/json.hpp>
#include <string_view>

namespace tilecast {

// Throws InputError "file:line:column: not JSON: ..." for what is none, and for a number that is not finite.
// nlohmann/json keeps the last of two equal keys in silence; a file that says two things is refused.
nlohmann::json read_json(std::string_view source, std::string_view file);

}  // namespace tilecast
