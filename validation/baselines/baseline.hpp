#pragma once
// Library kernels to compare with. A baseline can be measured but not described: it has no place among the
// families (kernels/families.cpp), and its rows name an algorithm or a plan instead of a partition.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validation/gpu_reference.hpp"

namespace tilecast {

using BaselineConfig = std::vector<std::pair<std::string, std::string>>;

// A library call that did not succeed.
struct LibraryRefusal : Error {
  LibraryRefusal(const std::string& call, std::string status_name)
      : Error(ExitCode::failure, call + ": " + status_name), status(std::move(status_name)) {}
  std::string status;  // "CUDNN_STATUS_NOT_SUPPORTED": the row's status
};

// One algorithm or plan on one layer. `enqueue` puts it on the GPU's stream and may throw LibraryRefusal;
// empty when `refusal` says why it cannot run at all. `finish` brings the result to the tensors' output in
// NCHW, outside the timing; empty when it is there already.
struct BaselineCandidate {
  BaselineConfig config;
  std::string refusal;
  std::function<void()> enqueue;
  std::function<void()> finish;
};

class Baseline {
 public:
  virtual ~Baseline() = default;
  virtual std::string version() const = 0;  // "cuDNN 9.19.0", for the file's comments
  virtual std::vector<std::string> axes() const = 0;
  // The problem whose tensors it needs: the layer itself, or the product it is equivalent to.
  virtual ConvShape tensor_shape(const ConvShape& layer) const { return layer; }
  // Calls `visit` for each candidate that `wanted` asks for, in a fixed order. What a candidate holds
  // (workspace, descriptors) lives until visit returns.
  virtual void each_candidate(LayerTensors& tensors, const std::function<bool(const BaselineConfig&)>& wanted,
                              const std::function<void(const BaselineCandidate&)>& visit) = 0;
};

struct BaselineEntry {
  std::string_view name;  // the rows' family
  std::string_view summary;
  // Throws UnavailableError where the library is not found.
  std::unique_ptr<Baseline> (*open)(Gpu& gpu, GpuReference& reference);
};

// The list. Without cuDNN's headers at build time its two entries are missing.
std::span<const BaselineEntry> baseline_entries();

// Beyond this a workspace would not be given in practice, and the algorithm's status says so.
inline constexpr std::size_t baseline_workspace_limit = std::size_t{4} << 30;

// Libraries read NVIDIA_TF32_OVERRIDE when they start: 0 keeps them from rounding float32 inputs to TF32, on
// top of the math mode asked for in each call. Called before any is opened.
void forbid_tf32();

}  // namespace tilecast
