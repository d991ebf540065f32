#include "kernels/runtime/gpu.hpp"

#include <fmt/format.h>

#include "kernels/runtime/clock.h"
#include "kernels/runtime/driver.hpp"
#include "kernels/runtime/gpu_info.hpp"
#include "kernels/runtime/launch.hpp"

namespace tilecast {

std::string gpu_problem() {
  try {
    int count = 0;
    TILECAST_DRIVER(cuDeviceGetCount(&count));
    return count > 0 ? "" : "the CUDA driver finds no GPU";
  } catch (const Error& error) {
    return error.what();
  }
}

int gpu_count() {
  int count = 0;
  if (gpu_problem().empty()) TILECAST_DRIVER(cuDeviceGetCount(&count));
  return count;
}

Gpu::Gpu(int index) {
  int count = 0;
  TILECAST_DRIVER(cuDeviceGetCount(&count));
  if (index < 0 || index >= count)
    throw UnavailableError(fmt::format("no GPU {}: the driver finds {}", index, count));
  CUdevice device = 0;
  TILECAST_DRIVER(cuDeviceGet(&device, index));
  info_ = query_gpu(device);
  CUcontext context = nullptr;
  TILECAST_DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  try {
    TILECAST_DRIVER(cuCtxSetCurrent(context));
    CUstream stream = nullptr;
    // A blocking stream: copies and fills of DeviceBuffer use the default stream and are ordered with it.
    TILECAST_DRIVER(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    stream_ = stream;
  } catch (...) {
    driver().cuDevicePrimaryCtxRelease(device);
    throw;
  }
  context_ = context;
  device_ = device;
}

Gpu::~Gpu() {
  // What lives in the context goes before the context. Failures: a destructor has nobody to tell.
  clock_kernel_ = Kernel();
  clock_result_ = DeviceBuffer();
  driver().cuStreamDestroy(static_cast<CUstream>(stream_));
  driver().cuDevicePrimaryCtxRelease(device_);
}

void Gpu::launch(const Kernel& kernel, const LaunchPlan& plan, std::span<const std::uint64_t> tensors) {
  PreparedLaunch(kernel.function(), plan, tensors).enqueue(stream_);
}

void Gpu::synchronize() {
  TILECAST_DRIVER(cuStreamSynchronize(static_cast<CUstream>(stream_)));
}

double Gpu::sm_clock_hz() {
  const ClockParams params{.window_ns = 50'000};  // long against the timer's step and the loop that reads it
  const LaunchPlan plan{
      .code = {"runtime/clock.cu", "sm_clock", {}}, .threads = 1, .params = as_params(params)};
  if (!clock_kernel_.function()) {
    clock_kernel_ = Kernel(compile(plan.code, kernel_sources(), info_.architecture), plan.code.entry);
    clock_result_ = DeviceBuffer(2 * sizeof(std::uint64_t));
  }
  const std::uint64_t tensors[] = {clock_result_.address()};
  launch(clock_kernel_, plan, tensors);
  synchronize();
  std::uint64_t result[2] = {};
  clock_result_.download(result, sizeof result);
  return static_cast<double>(result[0]) / (1e-9 * static_cast<double>(result[1]));
}

}  // namespace tilecast
