#pragma once
// What a failed call of the driver or of a CUDA library becomes.

#include <string>
#include <string_view>

#include "model/support/errors.hpp"

namespace tilecast {

struct CudaError : Error {
  CudaError(const std::string& message, std::string_view error_name)
      : Error(ExitCode::failure, message), name(error_name) {}
  std::string name;  // "CUDA_ERROR_ILLEGAL_ADDRESS"
};

// "gpu.cpp:57: cuMemAlloc(&address, bytes): CUDA_ERROR_OUT_OF_MEMORY: out of memory"
std::string cuda_error_text(std::string_view call, std::string_view file, long line, std::string_view name,
                            std::string_view text);

}  // namespace tilecast
