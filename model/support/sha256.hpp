#pragma once
// SHA-256 (FIPS 180-4): names a text so that a changed one is noticed. Written here because no library that
// the project uses has it.

#include <string>
#include <string_view>

namespace tilecast {

// 64 hexadecimal digits.
std::string sha256_hex(std::string_view text);

}  // namespace tilecast
