#pragma once
// The sections of a cubin: an ELF file.

#include <span>
#include <string_view>
#include <vector>

namespace tilecast::sass {

struct CubinSection {
  std::string_view name, bytes;  // point into the cubin
};

// Sections that have contents, in the file's order. Throws Error for bytes that are no 64-bit ELF file.
std::vector<CubinSection> cubin_sections(std::span<const char> cubin);

}  // namespace tilecast::sass
