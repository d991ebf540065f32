#pragma once
// NVRTC, the run-time compiler, opened at run time. Only compile.cpp includes this.

#include <nvrtc.h>

#include "kernels/runtime/library.hpp"

namespace tilecast {

#define TILECAST_NVRTC_FUNCTIONS(X) \
  X(nvrtcGetErrorString)            \
  X(nvrtcVersion)                   \
  X(nvrtcCreateProgram)             \
  X(nvrtcDestroyProgram)            \
  X(nvrtcCompileProgram)            \
  X(nvrtcGetProgramLogSize)         \
  X(nvrtcGetProgramLog)             \
  X(nvrtcGetCUBINSize)              \
  X(nvrtcGetCUBIN)                  \
  X(nvrtcGetNumSupportedArchs)      \
  X(nvrtcGetSupportedArchs)

struct NvrtcApi {
  DynamicLibrary library;
#define TILECAST_MEMBER(name) decltype(&::name) name = nullptr;
  TILECAST_NVRTC_FUNCTIONS(TILECAST_MEMBER)
#undef TILECAST_MEMBER
  int major = 0, minor = 0;
};

// Opened at the first call, the same table ever after. Throws UnavailableError when NVRTC 12 or 13 is not
// found.
const NvrtcApi& nvrtc();

// Throws CudaError unless `result` is NVRTC_SUCCESS.
void check_nvrtc(nvrtcResult result, const char* call, const char* file, int line);
#define TILECAST_NVRTC(call) ::tilecast::check_nvrtc(::tilecast::nvrtc().call, #call, __FILE__, __LINE__)

}  // namespace tilecast
