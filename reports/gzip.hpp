#pragma once
// Text compressed as every browser and `gunzip` read it.

#include <string>
#include <string_view>

namespace tilecast {

// The same bytes for the same text and zlib: the header holds no time and no name.
std::string gzip(std::string_view text);

// RFC 4648, padded.
std::string base64(std::string_view bytes);

}  // namespace tilecast
