// cublasSgemm of the product that a convolution is equivalent to: filters (M x C K K) times the unfolded
// input (C K K x N OH OW). The unfolded matrix is random, not made from a map: im2col is neither done nor
// timed, so this is what a perfect, free im2col would leave.

#include <cublas_v2.h>
#include <fmt/format.h>

#include "kernels/runtime/library.hpp"
#include "validation/baselines/libraries.hpp"

namespace tilecast {
namespace {

#define TILECAST_CUBLAS_FUNCTIONS(X) \
  X(cublasCreate)                    \
  X(cublasDestroy)                   \
  X(cublasSetStream)                 \
  X(cublasSetWorkspace)              \
  X(cublasSetMathMode)               \
  X(cublasGetVersion)                \
  X(cublasSgemm)

// cublas_v2.h renames functions by macros; a name here expands before it becomes member, type and symbol.
struct CublasApi {
  DynamicLibrary library;
#define TILECAST_MEMBER(name) decltype(&::name) name = nullptr;
  TILECAST_CUBLAS_FUNCTIONS(TILECAST_MEMBER)
#undef TILECAST_MEMBER
  // Since 11.4: without it the status is a number.
  decltype(&::cublasGetStatusName) status_name = nullptr;
};

CublasApi load_cublas() {
  CublasApi api;
  api.library = open_library({"libcublas.so.13", "libcublas.so.12", "libcublas.so"});
#define TILECAST_STRING(text) #text
#define TILECAST_LOAD(name) api.name = api.library.symbol<decltype(&::name)>(TILECAST_STRING(name));
  TILECAST_CUBLAS_FUNCTIONS(TILECAST_LOAD)
#undef TILECAST_LOAD
#undef TILECAST_STRING
  api.status_name = api.library.find<decltype(&::cublasGetStatusName)>("cublasGetStatusName");
  return api;
}

class CublasSgemm : public Baseline {
 public:
  CublasSgemm(Gpu& gpu, CublasApi api) : api_(std::move(api)), workspace_(workspace_bytes) {
    check(api_.cublasCreate(&handle_));
    try {
      check(api_.cublasSetStream(handle_, static_cast<cudaStream_t>(gpu.stream())));
      // Given by us, because the library's own may not be taken inside a capture.
      check(api_.cublasSetWorkspace(handle_, reinterpret_cast<void*>(workspace_.address()), workspace_bytes));
    } catch (...) {
      api_.cublasDestroy(handle_);
      throw;
    }
  }
  ~CublasSgemm() override { api_.cublasDestroy(handle_); }

  std::string version() const override {
    int version = 0;
    api_.cublasGetVersion(handle_, &version);
    return fmt::format("cuBLAS {}", version);
  }
  std::vector<std::string> axes() const override { return {"math"}; }
  ConvShape tensor_shape(const ConvShape& s) const override {
    return gemm_shape(s.M, s.N * s.out_h() * s.out_w(), s.C * s.K * s.K);
  }

  void each_candidate(LayerTensors& tensors, const std::function<bool(const BaselineConfig&)>& wanted,
                      const std::function<void(const BaselineCandidate&)>& visit) override {
    const std::pair<const char*, cublasMath_t> modes[] = {{"DEFAULT_MATH", CUBLAS_DEFAULT_MATH},
                                                          {"PEDANTIC_MATH", CUBLAS_PEDANTIC_MATH}};
    for (const auto& [name, mode] : modes) {
      const BaselineConfig config{{"math", name}};
      if (!wanted(config)) continue;
      BaselineCandidate candidate{.config = config, .refusal = {}, .enqueue = {}, .finish = {}};
      const auto selected = mode;
      candidate.enqueue = [this, &tensors, selected] { multiply(tensors, selected); };
      visit(candidate);
    }
  }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t{64}
                                                 << 20;  // Hopper's recommended 32 MiB, doubled

  // Row major C = A B is column major C' = B' A'.
  void multiply(const LayerTensors& tensors, cublasMath_t mode) const {
    const auto& s = tensors.shape;  // a 1 x 1 convolution: M filters, C deep, W pixels
    const int m = static_cast<int>(s.W), n = static_cast<int>(s.M), k = static_cast<int>(s.C);
    const float one = 1, zero = 0;
    check(api_.cublasSetMathMode(handle_, mode));
    check(api_.cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one,
                           reinterpret_cast<const float*>(tensors.input.address()), m,
                           reinterpret_cast<const float*>(tensors.filters.address()), k, &zero,
                           reinterpret_cast<float*>(tensors.output.address()), m));
  }
  void check(cublasStatus_t status) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw LibraryRefusal("cuBLAS", api_.status_name
                                       ? api_.status_name(status)
                                       : fmt::format("CUBLAS_STATUS {}", static_cast<int>(status)));
  }
  CublasApi api_;
  DeviceBuffer workspace_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace

std::unique_ptr<Baseline> open_cublas_sgemm(Gpu& gpu, GpuReference&) {
  return std::make_unique<CublasSgemm>(gpu, load_cublas());
}

}  // namespace tilecast
