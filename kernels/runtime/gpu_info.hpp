#pragma once
// What the driver tells of a device.

#include "kernels/runtime/gpu.hpp"

namespace tilecast {

// `device` is the driver's handle (an index). Throws CudaError.
GpuInfo query_gpu(int device);

}  // namespace tilecast
