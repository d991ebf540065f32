#include "kernels/runtime/driver.hpp"

#include <fmt/format.h>

namespace tilecast {
namespace {

DynamicLibrary open_driver() {
  try {
    return open_library({"libcuda.so.1"});
  } catch (const UnavailableError& error) {
    throw UnavailableError("no CUDA driver (libcuda.so.1) on this machine",
                           "install NVIDIA's driver; everything but 'measure' and 'validate' works without");
  }
}

DriverApi load() {
  DriverApi api;
  api.library = open_driver();
#define TILECAST_STRING(text) #text
#define TILECAST_LOAD(name) api.name = api.library.symbol<decltype(&::name)>(TILECAST_STRING(name));
  TILECAST_DRIVER_FUNCTIONS(TILECAST_LOAD)
#undef TILECAST_LOAD
#undef TILECAST_STRING
  using Elapsed = decltype(api.event_elapsed_time);
  api.event_elapsed_time = api.library.find<Elapsed>("cuEventElapsedTime_v2");
  if (!api.event_elapsed_time) api.event_elapsed_time = api.library.symbol<Elapsed>("cuEventElapsedTime");
  api.function_param_info = api.library.find<decltype(api.function_param_info)>("cuFuncGetParamInfo");

  if (const CUresult result = api.cuInit(0); result != CUDA_SUCCESS) {
    const char* name = nullptr;
    api.cuGetErrorName(result, &name);  // leaves nullptr for a code that this driver does not know
    throw UnavailableError(fmt::format("the CUDA driver does not start: cuInit: {}",
                                       name ? name : std::to_string(static_cast<int>(result))),
                           "look at what 'nvidia-smi' says");
  }
  return api;
}

}  // namespace

const DriverApi& driver() {
  static const DriverApi api = load();  // when load() throws, the next call tries again
  return api;
}

void check_driver(CUresult result, const char* call, const char* file, int line) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const char* text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  const std::string shown = name ? name : fmt::format("CUDA error {}", static_cast<int>(result));
  throw CudaError(cuda_error_text(call, file, line, shown, text ? text : ""), shown);
}

}  // namespace tilecast
