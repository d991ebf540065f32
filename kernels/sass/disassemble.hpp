#pragma once
// nvdisasm as a child process: cubin to listing. Needs no GPU and no driver.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/sass/program.hpp"

namespace tilecast::sass {

// The places where nvdisasm may be, in order: the folders of `path` (PATH); `cuda_home`/bin; each folder of
// `library_path` (TILECAST_LIBRARY_PATH) with its bin, ../bin and nvidia/*/bin (Python packages);
// /usr/local/cuda/bin.
std::vector<std::string> disassembler_candidates(std::string_view path, std::string_view cuda_home,
                                                 std::string_view library_path);

// The environment's first candidate that can be run; throws an UnavailableError that says how to get one.
std::string find_disassembler();

// The listing of a cubin's code with encodings (nvdisasm -c -hex). Throws UnavailableError where there is no
// nvdisasm, Error with what it wrote where it fails.
std::string disassemble(std::span<const char> cubin);

// disassemble() for each cubin, in order; several in one run where they can be merged (merge_cubins.hpp).
// Merged listings may lack labels that nothing refers to.
std::vector<std::string> disassemble_all(std::span<const std::span<const char>> cubins);

// The kernel `entry` of a cubin as a program: disassemble() and read_listing().
Program read_machine_code(std::span<const char> cubin, std::string_view entry);
// The same from its listing, where that is at hand.
Program read_machine_code(std::string_view listing, std::span<const char> cubin, std::string_view entry);

}  // namespace tilecast::sass
