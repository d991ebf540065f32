#pragma once
// The chase of probes/plain_chase.cu, timed by the host.

#include "microbench/probe_kernel.hpp"

namespace tilecast {

class PlainChase {
 public:
  // A random cycle over all 128-byte lines of `bytes`. Throws CudaError when it does not fit.
  PlainChase(const ProbeContext& context, std::size_t bytes, unsigned seed);
  // Seconds a load: the slope of two whole kernels. Each goes on where the one before stopped.
  double seconds_per_load(unsigned fewer, unsigned more);

 private:
  double seconds(unsigned steps);
  const ProbeContext& context_;
  DeviceBuffer ring_, out_;
  ProbeKernel chase_;
  PlainChaseParams params_{};
};

}  // namespace tilecast
