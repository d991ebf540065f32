#include "validation/baselines/cudnn.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "validation/baselines/baseline.hpp"

namespace tilecast {
namespace {

// cuDNN opens these by name. Where they lie in folders of their own, as in Python's packages, the loader
// finds them only if they are open already.
void open_dependencies() {
  for (const auto& names : {std::initializer_list<std::string_view>{"libcublasLt.so.13", "libcublasLt.so.12"},
                            {"libcublas.so.13", "libcublas.so.12"},
                            {"libnvrtc.so.13", "libnvrtc.so.12"}}) {
    try {
      open_library(names);
    } catch (const UnavailableError&) {
      // Not every engine needs them; one that does will refuse, with its status recorded.
    }
  }
}

}  // namespace

CudnnApi load_cudnn() {
  open_dependencies();
  CudnnApi api;
  api.library = open_library({"libcudnn.so.9"});
  // Its parts (libcudnn_graph.so.9, ...) look up one another's symbols globally.
  dlopen(api.library.path().c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
#define TILECAST_LOAD(name) api.name = api.library.symbol<decltype(&::name)>(#name);
  TILECAST_CUDNN_FUNCTIONS(TILECAST_LOAD)
#undef TILECAST_LOAD
  return api;
}

CudnnHandle::CudnnHandle(const CudnnApi& api, void* stream) : api_(api) {
  check_cudnn(api_, api_.cudnnCreate(&handle_), "cudnnCreate");
  const auto status = api_.cudnnSetStream(handle_, static_cast<cudaStream_t>(stream));
  if (status != CUDNN_STATUS_SUCCESS) api_.cudnnDestroy(handle_);
  check_cudnn(api_, status, "cudnnSetStream");
}

CudnnHandle::~CudnnHandle() {
  api_.cudnnDestroy(handle_);
}

void check_cudnn(const CudnnApi& api, cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS) throw LibraryRefusal(call, api.cudnnGetErrorString(status));
}

std::string cudnn_version_text(const CudnnApi& api) {
  const auto version = api.cudnnGetVersion();  // 91900: major, two digits each of minor and patch
  return fmt::format("cuDNN {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace tilecast
