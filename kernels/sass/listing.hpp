#pragma once
// The text of `nvdisasm -c -hex` to instructions.

#include <string>
#include <string_view>
#include <vector>

#include "kernels/sass/instruction.hpp"

namespace tilecast::sass {

// The instructions of section .text.<entry>, functions that it calls included, in order of their offsets.
// `name` is for messages. Throws InputError for a text without that section, an unknown opcode or operand
// (with its mnemonic and offset), and an encoding that is missing.
std::vector<Instruction> parse_listing(std::string_view text, std::string_view entry, std::string_view name);

// The architecture of the listing: "sm_90" from its line ".target sm_90"; throws InputError when there is
// none.
std::string listing_target(std::string_view text, std::string_view name);

}  // namespace tilecast::sass
