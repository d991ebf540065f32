#pragma once
// Files compiled into the binary (cmake/Embed.cmake), so that it needs no data folder beside it.

#include <span>
#include <string_view>

namespace tilecast {

struct EmbeddedFile {
  std::string_view path;  // relative to the folder that embeds it
  std::string_view text;
};

}  // namespace tilecast
