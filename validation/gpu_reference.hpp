#pragma once
// A layer on the GPU: its random tensors, its float64 reference, and whether an output matches it.

#include <cstdint>
#include <string>

#include "kernels/runtime/gpu.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast {

// Input and filters are random (validation/reference.hpp), `reference` holds doubles, all in NCHW / OIHW. The
// output has guard words behind it that no kernel may touch.
struct LayerTensors {
  ConvShape shape;
  DeviceBuffer input, filters, output, reference;
};

struct OutputCheck {
  double max_rel_error = 0;      // infinite when an output is not finite
  std::uint64_t not_finite = 0;  // outputs, among them those never written
  bool wrote_past_the_end = false;
};

// What is wrong with an output, as a row's status ("wrong result (max_rel_error 0.5)"); empty when it is
// right.
std::string wrong_result(const OutputCheck& check, double tolerance);

class GpuReference {
 public:
  explicit GpuReference(Gpu& gpu);  // compiles device/reference.cu

  // Seeds as input_seed() and filter_seed() say. The output is poisoned.
  LayerTensors make_tensors(const ConvShape& shape, std::uint64_t seed);
  // Every word of an output, guard included, becomes a NaN; does not wait.
  void poison(DeviceBuffer& output);
  // Waits for what was launched before. Throws CudaError when that failed.
  OutputCheck check(const LayerTensors& tensors);

  // [outer][rows][columns] of `from` to [outer][columns][rows] of `to`, both of float32; does not wait.
  void swap_inner(const DeviceBuffer& from, DeviceBuffer& to, std::int64_t outer, std::int64_t rows,
                  std::int64_t columns);

 private:
  template <class Params>
  void launch(const Kernel& kernel, std::initializer_list<std::uint64_t> tensors, std::int64_t items,
              const Params& params);
  Gpu& gpu_;
  Kernel fill_, convolve_, compare_, swap_, poison_;
  DeviceBuffer difference_;
};

}  // namespace tilecast
