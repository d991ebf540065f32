#include <cstdlib>

#include "validation/baselines/baseline.hpp"
#include "validation/baselines/libraries.hpp"

namespace tilecast {

std::span<const BaselineEntry> baseline_entries() {
  static const BaselineEntry entries[] = {
#ifdef TILECAST_WITH_CUDNN
      {"cudnn_legacy", "cudnnConvolutionForward, each of its algorithms", open_cudnn_legacy},
      {"cudnn_graph", "cuDNN's graph interface, each plan that its heuristics give", open_cudnn_graph},
#endif
      {"cublas_sgemm", "the equivalent matrix product; making its matrix (im2col) is not in the time",
       open_cublas_sgemm},
  };
  return entries;
}

void forbid_tf32() {
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
}

}  // namespace tilecast
