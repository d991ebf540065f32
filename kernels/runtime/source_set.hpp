#pragma once
// Which of the embedded sources one kernel is made of, and the names by which it may include them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/support/embedded.hpp"

namespace tilecast {

// The file `source` first, then every file of `sources` that it includes, directly or not, by #include
// "name", each once, in the order found. Names that are not among `sources` are left to the compiler to
// report. Throws Error when `source` itself is missing.
std::vector<EmbeddedFile> reachable_sources(std::string_view source, std::span<const EmbeddedFile> sources);

// Every spelling under which a kernel in `source` may include `path`: "family/x.h", "kernels/family/x.h", and
// "x.h" when both lie in one folder.
std::vector<std::string> include_names(std::string_view path, std::string_view source);

}  // namespace tilecast
