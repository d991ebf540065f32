#pragma once
// Steps of a launch that several files of the runtime share. No CUDA header: functions are void* here.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/launch_plan.hpp"

namespace tilecast {

// Allows `dynamic_shared_bytes` and asks for the largest shared-memory carve-out where shared memory is used.
// Throws CudaError when the device cannot give a block that much.
void prepare_shared_memory(void* kernel_function, std::int64_t dynamic_shared_bytes);

// A launch made ready: checked once, then enqueued as often as wanted.
class PreparedLaunch {
 public:
  // Throws Error when tensors and parameters are not what the kernel's signature takes (where the driver can
  // tell: 12.4 and newer). `plan` and `tensors` must outlive this object.
  PreparedLaunch(void* kernel_function, const LaunchPlan& plan, std::span<const std::uint64_t> tensors);
  void enqueue(void* stream) const;

 private:
  void* function_;
  const LaunchPlan& plan_;
  std::vector<void*> arguments_;  // where each argument lies
};

}  // namespace tilecast
