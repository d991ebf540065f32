#pragma once
// nvdisasm, where the machine has it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

// Where it may be, in order: the folders of `path` (PATH); `cuda_home`/bin (CUDA_HOME); of each folder F of
// `library_path` (TILECAST_LIBRARY_PATH): F, F/../bin (Python's packages: nvidia/cu13/lib beside
// nvidia/cu13/bin) and F/nvidia/*/bin; /usr/local/cuda/bin.
std::vector<std::string> nvdisasm_candidates(std::string_view path, std::string_view cuda_home,
                                             std::string_view library_path);

// The first candidate that is an executable file, by this process' environment.
std::optional<std::string> find_nvdisasm();

// The listing with labels of all kernels of a cubin. Throws Error with the program's message where it fails.
std::string disassemble(const std::string& nvdisasm, std::span<const char> cubin);

}  // namespace tilecast
