#pragma once
// Listings on disk beside the compiled code, one file a specialisation: nvdisasm runs once for each. A
// damaged file counts as absent, a folder that cannot be written means disassembling again.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

// The listing with every run of blanks as one: all that read_listing() looks at, in half the bytes.
std::string compact_listing(std::string_view listing);

// Of a cubin, by its bytes.
std::optional<std::string> load_listing(const std::string& folder, std::span<const char> cubin);
// Written beside and renamed: others see all of it or nothing.
void store_listing(const std::string& folder, std::span<const char> cubin, std::string_view listing);

// Of each of these cubins: from `folder`, else listed (several in one run of nvdisasm) and stored there.
// Throws as sass::disassemble().
std::vector<std::string> cached_listings(const std::string& folder,
                                         std::span<const std::span<const char>> cubins);

// Where the program keeps them.
std::string listing_folder();

}  // namespace tilecast
