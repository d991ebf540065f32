#pragma once
// The CUDA driver API, opened at run time. Only files that call the driver include this.

#include <cuda.h>

#include "kernels/runtime/cuda_error.hpp"
#include "kernels/runtime/library.hpp"

namespace tilecast {

// cuda.h renames functions with macros (cuMemAlloc is cuMemAlloc_v2): a name in this list expands before it
// becomes a member, a type and a symbol, so all three are the version that the header declares, and
// `driver().cuMemAlloc(...)` expands to the same member.
#define TILECAST_DRIVER_FUNCTIONS(X)             \
  X(cuInit)                                      \
  X(cuGetErrorName)                              \
  X(cuGetErrorString)                            \
  X(cuDriverGetVersion)                          \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetName)                             \
  X(cuDeviceGetUuid)                             \
  X(cuDeviceTotalMem)                            \
  X(cuDeviceGetAttribute)                        \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDevicePrimaryCtxRelease)                   \
  X(cuCtxSetCurrent)                             \
  X(cuStreamCreate)                              \
  X(cuStreamDestroy)                             \
  X(cuStreamSynchronize)                         \
  X(cuStreamBeginCapture)                        \
  X(cuStreamEndCapture)                          \
  X(cuEventCreate)                               \
  X(cuEventDestroy)                              \
  X(cuEventRecord)                               \
  X(cuEventSynchronize)                          \
  X(cuGraphInstantiate)                          \
  X(cuGraphUpload)                               \
  X(cuGraphLaunch)                               \
  X(cuGraphExecDestroy)                          \
  X(cuGraphDestroy)                              \
  X(cuMemAlloc)                                  \
  X(cuMemFree)                                   \
  X(cuMemGetInfo)                                \
  X(cuMemcpyHtoD)                                \
  X(cuMemcpyDtoH)                                \
  X(cuMemsetD32)                                 \
  X(cuModuleLoadData)                            \
  X(cuModuleUnload)                              \
  X(cuModuleGetFunction)                         \
  X(cuFuncGetAttribute)                          \
  X(cuFuncSetAttribute)                          \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuLaunchKernel)                              \
  X(cuLaunchKernelEx)

struct DriverApi {
  DynamicLibrary library;
#define TILECAST_MEMBER(name) decltype(&::name) name = nullptr;
  TILECAST_DRIVER_FUNCTIONS(TILECAST_MEMBER)
#undef TILECAST_MEMBER
  // Renamed in the headers of 12.8 with the same arguments; drivers before that have the old name only.
  CUresult (*event_elapsed_time)(float* milliseconds, CUevent start, CUevent end) = nullptr;
  // Since driver 12.4; nullptr before.
  CUresult (*function_param_info)(CUfunction, std::size_t index, std::size_t* offset,
                                  std::size_t* size) = nullptr;
};

// Opened and initialised at the first call; the same table ever after, since a process has one driver.
// Throws UnavailableError when there is no driver, or one that finds no GPU.
const DriverApi& driver();

// Throws CudaError unless `result` is CUDA_SUCCESS.
void check_driver(CUresult result, const char* call, const char* file, int line);
#define TILECAST_DRIVER(call) ::tilecast::check_driver(::tilecast::driver().call, #call, __FILE__, __LINE__)

}  // namespace tilecast
