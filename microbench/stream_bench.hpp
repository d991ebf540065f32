#pragma once
// Streaming through device memory with a known number of bytes in flight (probes/stream.cu, stream_async.cu),
// one shape at a time. Each run goes on where the one before stopped, so that no run finds its data in L2
// from the last one unless the whole footprint fits there.

#include <cstddef>
#include <map>
#include <string>

#include "microbench/probe_kernel.hpp"
#include "microbench/stream_shape.hpp"

namespace tilecast {

struct StreamSample {
  double bytes_per_s = 0;  // read plus written
  double sm_clock_hz = 0;
};

// The device code of a shape.
Specialisation stream_code(const StreamShape& shape);

class StreamBench {
 public:
  // `footprint` is rounded down to a multiple of 32 KiB; `targets` is how many such buffers there are to
  // write to. Without one, writes go to what is read. Throws CudaError when it does not fit.
  StreamBench(const ProbeContext& context, std::size_t footprint, int targets);

  // Whether an SM holds the shape's blocks all at once (registers, shared memory).
  bool fits(const StreamShape& shape);
  // Throws Error when the shape does not fit or its blocks did not spread over the SMs as the shape says.
  StreamSample run(const StreamShape& shape, double seconds);
  // The part of the buffers that is used from now on, in bytes; not more than the footprint.
  void limit(std::size_t footprint);

 private:
  const ProbeKernel& kernel(const StreamShape& shape);

  const ProbeContext& context_;
  DeviceBuffer source_, target_, records_;
  std::size_t vectors_ = 0, next_ = 0;
  double clock_hz_ = 0;
  std::map<std::string, ProbeKernel> kernels_;  // by specialisation
};

}  // namespace tilecast
