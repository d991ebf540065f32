#pragma once
// One operand as nvdisasm prints it.

#include <functional>
#include <optional>
#include <string_view>

#include "kernels/sass/instruction.hpp"

namespace tilecast::sass {

// The offset of a label of the function; nullopt: there is no such label.
using LabelLookup = std::function<std::optional<std::int64_t>(std::string_view)>;

// nullopt for what it does not understand: the caller knows the place and says it.
std::optional<Operand> parse_operand(std::string_view text, const LabelLookup& label);

}  // namespace tilecast::sass
