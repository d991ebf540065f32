#pragma once
// Disk cache of listings beside the compiled code, a file per specialisation, so that nvdisasm runs once for
// each. A damaged file counts as absent; without a writable folder, code is disassembled again.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

// The listing with each run of blanks as one blank: enough for read_listing(), in half the bytes.
std::string compact_listing(std::string_view listing);

// The listing of a cubin with these bytes; nullopt: not in the folder.
std::optional<std::string> load_listing(const std::string& folder, std::span<const char> cubin);
// Writes a temporary file and renames it, so that others see all of it or nothing.
void store_listing(const std::string& folder, std::span<const char> cubin, std::string_view listing);

// The listing of each cubin: from `folder`, else disassembled (several in one run of nvdisasm) and stored
// there. Throws as sass::disassemble().
std::vector<std::string> cached_listings(const std::string& folder,
                                         std::span<const std::span<const char>> cubins);

// The folder in which the program keeps them.
std::string listing_folder();

}  // namespace tilecast
