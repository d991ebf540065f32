#pragma once
// The pointer chase of probes/latency.cu: rings in device memory, walked by one thread of one SM.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "microbench/probe_kernel.hpp"

namespace tilecast {

// The bytes from one node of a ring to the next: a cache line.
constexpr std::size_t node_bytes = 128;

struct ChaseSample {
  double cycles = 0;       // a load, from the difference of two windows
  double sm_clock_hz = 0;  // over both windows; 0 when they were too short for the nanosecond clock
};

class ChaseBench {
 public:
  ChaseBench(const ProbeContext& context, std::size_t most_bytes);

  // A random cycle over all nodes of the first `bytes`, another one for each seed; afterwards all SMs walk it
  // twice in the chase's order, so that L2 is as a chase that came round would leave it.
  void build(std::size_t bytes, unsigned seed);
  // Every node points to itself.
  void build_self(std::size_t bytes);

  // Through L1 (.ca, the whole ring walked once before) or past it (.cg). `first` is the position in the
  // cycle to start from. On SM `sm`, or on any. Throws Error when no block landed on that SM.
  ChaseSample chase(bool through_l1, std::size_t first, unsigned short_steps, unsigned long_steps,
                    std::int64_t sm = -1);
  // After build_self: cycles a load of each of `lines` lines spread over the buffer at random.
  std::vector<double> lines(unsigned lines, unsigned seed, std::int64_t sm);

 private:
  const ProbeContext& context_;
  DeviceBuffer ring_, result_;
  ProbeKernel build_, self_, walk_, chase_l1_, chase_l2_, lines_;
  RingParams params_{};
  unsigned turn_ = 0;
};

}  // namespace tilecast
