#include "kernels/runtime/launch.hpp"

#include <fmt/format.h>

#include <limits>

#include "kernels/runtime/driver.hpp"

namespace tilecast {
namespace {

void check_signature(CUfunction function, const LaunchPlan& plan, std::size_t tensors) {
  const auto parameter_size = driver().function_param_info;
  if (!parameter_size) return;
  const std::size_t count = tensors + (plan.params.empty() ? 0 : 1);
  std::size_t offset = 0, size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t given = i < tensors ? sizeof(std::uint64_t) : plan.params.size();
    if (parameter_size(function, i, &offset, &size) != CUDA_SUCCESS)
      throw Error(ExitCode::failure,
                  fmt::format("{}: {} arguments given, the kernel takes {}", plan.code.key(), count, i));
    if (size != given)
      throw Error(ExitCode::failure, fmt::format("{}: argument {} has {} bytes, the kernel expects {}",
                                                 plan.code.key(), i, given, size));
  }
  if (parameter_size(function, count, &offset, &size) == CUDA_SUCCESS)
    throw Error(ExitCode::failure,
                fmt::format("{}: {} arguments given, the kernel takes more", plan.code.key(), count));
}

unsigned launch_size(std::int64_t value, const char* what, const LaunchPlan& plan) {
  if (value < 1 || value > std::numeric_limits<int>::max())
    throw Error(ExitCode::failure,
                fmt::format("{}: {} is {}, expected 1 to 2^31-1", plan.code.key(), what, value));
  return static_cast<unsigned>(value);
}

}  // namespace

PreparedLaunch::PreparedLaunch(void* kernel_function, const LaunchPlan& plan,
                               std::span<const std::uint64_t> tensors)
    : function_(kernel_function), plan_(plan) {
  check_signature(static_cast<CUfunction>(function_), plan, tensors.size());
  prepare_shared_memory(function_, plan.dynamic_shared_bytes);
  // Clusters above eight blocks are not promised on every device of an architecture.
  if (plan.cluster_x > 8)
    TILECAST_DRIVER(cuFuncSetAttribute(static_cast<CUfunction>(function_),
                                       CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  // The driver copies what these point to and does not write there; its interface is from before const.
  for (const auto& address : tensors)
    arguments_.push_back(const_cast<std::uint64_t*>(&address));
  if (!plan.params.empty()) arguments_.push_back(const_cast<std::byte*>(plan.params.data()));
}

void PreparedLaunch::enqueue(void* stream) const {
  auto** arguments = const_cast<void**>(arguments_.data());
  CUlaunchConfig config{};
  config.gridDimX = launch_size(plan_.grid_x, "grid_x", plan_);
  config.gridDimY = launch_size(plan_.grid_y, "grid_y", plan_);
  config.gridDimZ = launch_size(plan_.grid_z, "grid_z", plan_);
  config.blockDimX = launch_size(plan_.threads, "threads", plan_);
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(plan_.dynamic_shared_bytes);
  config.hStream = static_cast<CUstream>(stream);
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = launch_size(plan_.cluster_x, "cluster_x", plan_);
  cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = plan_.cluster_x > 1 ? 1 : 0;
  TILECAST_DRIVER(cuLaunchKernelEx(&config, static_cast<CUfunction>(function_), arguments, nullptr));
}

}  // namespace tilecast
