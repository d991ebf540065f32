#pragma once
// Compiled code on disk, one file an entry. A damaged or foreign file counts as absent, and a folder that
// cannot be written means compiling again: the cache only saves time.

#include <optional>
#include <string>

#include "kernels/runtime/compile.hpp"

namespace tilecast {

// `name` is the file's name in `folder`; `key` is written into the file and compared when it is read.
std::optional<CompiledCode> load_cached(const std::string& folder, const std::string& name,
                                        const std::string& key);
// Written beside and renamed, so that other processes see all of it or nothing.
void store_cached(const std::string& folder, const std::string& name, const std::string& key,
                  const CompiledCode& code);

}  // namespace tilecast
