#pragma once
// What the compiler says of a kernel (ptxas' verbose log) and the machine code itself (the cubin's sections).
// Pure functions over bytes: no CUDA needed.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/code_record.hpp"

namespace tilecast {

// Registers, static shared memory and local memory of the kernel `entry` from the log of
// --ptxas-options=-v. The log and not the cubin: from sm_90 on the cubin's shared section also counts the 1
// KB that the system reserves, and its attribute encodings changed between NVRTC 12 and 13; these lines did
// not. Throws Error when the log does not speak of `entry`.
CodeRecord parse_ptxas_log(std::string_view log, std::string_view entry);

// FNV-1a of the cubin's executable sections (.text.*), in order of their names, as 16 hex digits: the same
// code has the same hash, whatever file names and debug lines lie around it. Throws Error for bytes that are
// no 64-bit ELF file with code.
std::string code_hash(std::span<const char> cubin);

// One instruction of sm_70 and newer: 128 bits, little endian.
struct MachineWord {
  std::uint64_t low = 0, high = 0;
};

// The instructions of the cubin's executable sections, in order of their names. Throws as code_hash() does.
std::vector<MachineWord> machine_words(std::span<const char> cubin);

}  // namespace tilecast
