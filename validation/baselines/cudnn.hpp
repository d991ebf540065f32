#pragma once
// cuDNN, opened at run time. Only the two cuDNN baselines include this.

#include <cudnn.h>
#include <cudnn_backend.h>

#include <cstdint>
#include <string>

#include "kernels/runtime/library.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast {

#define TILECAST_CUDNN_FUNCTIONS(X)          \
  X(cudnnGetVersion)                         \
  X(cudnnGetErrorString)                     \
  X(cudnnCreate)                             \
  X(cudnnDestroy)                            \
  X(cudnnSetStream)                          \
  X(cudnnCreateTensorDescriptor)             \
  X(cudnnDestroyTensorDescriptor)            \
  X(cudnnSetTensor4dDescriptor)              \
  X(cudnnCreateFilterDescriptor)             \
  X(cudnnDestroyFilterDescriptor)            \
  X(cudnnSetFilter4dDescriptor)              \
  X(cudnnCreateConvolutionDescriptor)        \
  X(cudnnDestroyConvolutionDescriptor)       \
  X(cudnnSetConvolution2dDescriptor)         \
  X(cudnnSetConvolutionMathType)             \
  X(cudnnGetConvolutionForwardWorkspaceSize) \
  X(cudnnConvolutionForward)                 \
  X(cudnnBackendCreateDescriptor)            \
  X(cudnnBackendDestroyDescriptor)           \
  X(cudnnBackendFinalize)                    \
  X(cudnnBackendSetAttribute)                \
  X(cudnnBackendGetAttribute)                \
  X(cudnnBackendExecute)

struct CudnnApi {
  DynamicLibrary library;
#define TILECAST_MEMBER(name) decltype(&::name) name = nullptr;
  TILECAST_CUDNN_FUNCTIONS(TILECAST_MEMBER)
#undef TILECAST_MEMBER
};

// Throws UnavailableError when cuDNN 9 is not found.
CudnnApi load_cudnn();

// A handle on the GPU's stream.
class CudnnHandle {
 public:
  CudnnHandle(const CudnnApi& api, void* stream);
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;
  cudnnHandle_t get() const { return handle_; }

 private:
  const CudnnApi& api_;
  cudnnHandle_t handle_ = nullptr;
};

// Throws LibraryRefusal unless the status is CUDNN_STATUS_SUCCESS.
void check_cudnn(const CudnnApi& api, cudnnStatus_t status, const char* call);

std::string cudnn_version_text(const CudnnApi& api);  // "cuDNN 9.19.0 (path)"

}  // namespace tilecast
