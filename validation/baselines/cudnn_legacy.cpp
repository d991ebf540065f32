// cuDNN by its older interface: every algorithm of cudnnConvolutionForward, NCHW, float32, CUDNN_FMA_MATH
// (the default math type allows TF32 since Ampere).

#include <fmt/format.h>

#include "validation/baselines/cudnn.hpp"
#include "validation/baselines/libraries.hpp"

namespace tilecast {
namespace {

constexpr std::pair<const char*, cudnnConvolutionFwdAlgo_t> algorithms[] = {
    {"IMPLICIT_GEMM", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
    {"IMPLICIT_PRECOMP_GEMM", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM},
    {"GEMM", CUDNN_CONVOLUTION_FWD_ALGO_GEMM},
    {"DIRECT", CUDNN_CONVOLUTION_FWD_ALGO_DIRECT},
    {"FFT", CUDNN_CONVOLUTION_FWD_ALGO_FFT},
    {"FFT_TILING", CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING},
    {"WINOGRAD", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD},
    {"WINOGRAD_NONFUSED", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED}};

#define TILECAST_CUDNN(call) check_cudnn(api_, api_.call, #call)

// The descriptors of one layer.
class LayerDescriptors {
 public:
  LayerDescriptors(const CudnnApi& api, const ConvShape& s) : api_(api) {
    try {
      const auto i = [](std::int64_t size) { return static_cast<int>(size); };
      TILECAST_CUDNN(cudnnCreateTensorDescriptor(&input));
      TILECAST_CUDNN(cudnnCreateTensorDescriptor(&output));
      TILECAST_CUDNN(cudnnCreateFilterDescriptor(&filters));
      TILECAST_CUDNN(cudnnCreateConvolutionDescriptor(&convolution));
      TILECAST_CUDNN(cudnnSetTensor4dDescriptor(input, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, i(s.N), i(s.C),
                                                i(s.H), i(s.W)));
      TILECAST_CUDNN(cudnnSetTensor4dDescriptor(output, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, i(s.N), i(s.M),
                                                i(s.out_h()), i(s.out_w())));
      TILECAST_CUDNN(cudnnSetFilter4dDescriptor(filters, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, i(s.M), i(s.C),
                                                i(s.K), i(s.K)));
      TILECAST_CUDNN(cudnnSetConvolution2dDescriptor(convolution, i(s.pad), i(s.pad), i(s.stride),
                                                     i(s.stride), i(s.dilation), i(s.dilation),
                                                     CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
      TILECAST_CUDNN(cudnnSetConvolutionMathType(convolution, CUDNN_FMA_MATH));
    } catch (...) {
      release();
      throw;
    }
  }
  ~LayerDescriptors() { release(); }
  LayerDescriptors(const LayerDescriptors&) = delete;
  LayerDescriptors& operator=(const LayerDescriptors&) = delete;

  cudnnTensorDescriptor_t input = nullptr, output = nullptr;
  cudnnFilterDescriptor_t filters = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;

 private:
  void release() {
    if (convolution) api_.cudnnDestroyConvolutionDescriptor(convolution);
    if (filters) api_.cudnnDestroyFilterDescriptor(filters);
    if (output) api_.cudnnDestroyTensorDescriptor(output);
    if (input) api_.cudnnDestroyTensorDescriptor(input);
  }
  const CudnnApi& api_;
};

class CudnnLegacy : public Baseline {
 public:
  CudnnLegacy(Gpu& gpu, CudnnApi api) : api_(std::move(api)), handle_(api_, gpu.stream()) {}
  std::string version() const override { return cudnn_version_text(api_); }
  std::vector<std::string> axes() const override { return {"algorithm"}; }

  void each_candidate(LayerTensors& tensors, const std::function<bool(const BaselineConfig&)>& wanted,
                      const std::function<void(const BaselineCandidate&)>& visit) override {
    const LayerDescriptors layer(api_, tensors.shape);
    for (const auto& [name, algorithm] : algorithms) {
      const BaselineConfig config{{"algorithm", name}};
      if (!wanted(config)) continue;
      BaselineCandidate candidate{.config = config, .refusal = {}, .enqueue = {}, .finish = {}};
      DeviceBuffer workspace;
      std::size_t bytes = 0;
      const auto status = api_.cudnnGetConvolutionForwardWorkspaceSize(
          handle_.get(), layer.input, layer.filters, layer.convolution, layer.output, algorithm, &bytes);
      if (status != CUDNN_STATUS_SUCCESS) {
        candidate.refusal = api_.cudnnGetErrorString(status);
      } else if (bytes > baseline_workspace_limit) {
        candidate.refusal = fmt::format("workspace of {} MiB", bytes >> 20);
      } else {
        workspace = DeviceBuffer(bytes);
        const auto selected = algorithm;
        candidate.enqueue = [&, selected] { convolve(layer, tensors, selected, workspace); };
      }
      visit(candidate);
    }
  }

 private:
  void convolve(const LayerDescriptors& layer, const LayerTensors& tensors,
                cudnnConvolutionFwdAlgo_t algorithm, const DeviceBuffer& workspace) const {
    const auto pointer = [](const DeviceBuffer& buffer) { return reinterpret_cast<void*>(buffer.address()); };
    const float one = 1, zero = 0;
    TILECAST_CUDNN(cudnnConvolutionForward(handle_.get(), &one, layer.input, pointer(tensors.input),
                                           layer.filters, pointer(tensors.filters), layer.convolution,
                                           algorithm, pointer(workspace), workspace.bytes(), &zero,
                                           layer.output, pointer(tensors.output)));
  }
  CudnnApi api_;
  CudnnHandle handle_;
};

}  // namespace

std::unique_ptr<Baseline> open_cudnn_legacy(Gpu& gpu, GpuReference&) {
  return std::make_unique<CudnnLegacy>(gpu, load_cudnn());
}

}  // namespace tilecast
