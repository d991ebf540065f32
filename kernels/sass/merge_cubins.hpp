#pragma once
// The code of several cubins as one ELF file: most of nvdisasm's time is its start, so that it lists dozens
// of kernels in the time of two.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilecast::sass {

// What stands in front of the names of a cubin's functions, by its number, in the merged file.
std::string merged_prefix(std::size_t number);

// Code sections and the symbols in them. nullopt where there is nothing to be merged: cubins of different
// architectures, and code that is not linked yet. Throws Error for bytes that are no 64-bit ELF file.
std::optional<std::vector<char>> merge_cubins(std::span<const std::span<const char>> cubins);

}  // namespace tilecast::sass
