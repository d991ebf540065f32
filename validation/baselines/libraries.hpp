#pragma once
// The baselines' constructors; baselines.cpp lists them.

#include <memory>

#include "validation/baselines/baseline.hpp"

namespace tilecast {

std::unique_ptr<Baseline> open_cudnn_legacy(Gpu& gpu, GpuReference& reference);
std::unique_ptr<Baseline> open_cudnn_graph(Gpu& gpu, GpuReference& reference);
std::unique_ptr<Baseline> open_cublas_sgemm(Gpu& gpu, GpuReference& reference);

}  // namespace tilecast
