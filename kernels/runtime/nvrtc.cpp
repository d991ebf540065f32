#include "kernels/runtime/nvrtc.hpp"

#include "kernels/runtime/cuda_error.hpp"

namespace tilecast {
namespace {

NvrtcApi load() {
  NvrtcApi api;
  try {
    api.library = open_library({"libnvrtc.so.13", "libnvrtc.so.12"});
  } catch (const UnavailableError& error) {
    throw UnavailableError(
        std::string("kernels cannot be compiled: ") + error.what(),
        "install the CUDA toolkit 12 or 13, or 'pip install nvidia-cuda-nvrtc' and name its "
        "site-packages in TILECAST_LIBRARY_PATH");
  }
#define TILECAST_LOAD(name) api.name = api.library.symbol<decltype(&::name)>(#name);
  TILECAST_NVRTC_FUNCTIONS(TILECAST_LOAD)
#undef TILECAST_LOAD
  if (const auto result = api.nvrtcVersion(&api.major, &api.minor); result != NVRTC_SUCCESS)
    throw CudaError(cuda_error_text("nvrtcVersion", __FILE__, __LINE__, api.nvrtcGetErrorString(result), ""),
                    api.nvrtcGetErrorString(result));
  return api;
}

}  // namespace

const NvrtcApi& nvrtc() {
  static const NvrtcApi api = load();  // when load() throws, the next call tries again
  return api;
}

void check_nvrtc(nvrtcResult result, const char* call, const char* file, int line) {
  if (result == NVRTC_SUCCESS) return;
  const char* name = nvrtc().nvrtcGetErrorString(result);
  throw CudaError(cuda_error_text(call, file, line, name, ""), name);
}

}  // namespace tilecast
