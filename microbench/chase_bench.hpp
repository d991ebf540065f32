#pragma once
// The pointer chases of probes/latency.cu: rings in device memory, walked by one thread of one SM.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "microbench/probe_kernel.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

// The bytes from one node of a ring to the next where nothing else is asked for: a cache line.
constexpr std::size_t node_bytes = line_bytes;

struct ChaseSample {
  double cycles = 0;       // a load, from the difference of two windows
  double sm_clock_hz = 0;  // over both windows; 0 when they were too short for the nanosecond clock
};

struct ChaseSteps {
  unsigned warm = 0;                                // before the windows
  unsigned short_window = 256, long_window = 1280;  // multiples of 16
};

constexpr std::int64_t any_sm = -1;

enum class ChaseCache { l1, l2 };  // loads through L1 (.ca) or past it (.cg)

class ChaseBench {
 public:
  // Memory for rings over up to `most_bytes`. Throws CudaError when it does not fit.
  ChaseBench(const ProbeContext& context, std::size_t most_bytes);

  // A random cycle, another one for each seed, over nodes that lie `step` bytes apart (a multiple of 128,
  // each node in a random line of its step) in the first nodes x step bytes; or over all lines of the first
  // `bytes`. Stored by all SMs, or by SM `sm`: L2 then holds the lines where they belong and in that SM's
  // part only.
  void build(std::size_t nodes, std::size_t step, unsigned seed, std::int64_t sm = any_sm);
  void build(std::size_t bytes, unsigned seed) { build(bytes / node_bytes, node_bytes, seed); }
  std::size_t nodes() const { return ring_params_.nodes; }
  // Byte offset of the node at that position of the cycle.
  std::size_t offset(std::size_t position) const;
  std::uint64_t address() const { return ring_.address(); }

  // SM `sm` reads all nodes in the order of the chase, `passes` times.
  void warm(std::int64_t sm, unsigned passes);
  // All SMs read other memory, four times L2's size: nothing of the ring stays there.
  void flush();

  // From position `first` of the cycle on. Both throw Error when no block landed on that SM.
  ChaseSample chase(ChaseCache cache, std::int64_t sm, std::size_t first, const ChaseSteps& steps);
  // Cycles of each of `steps` loads (.cg; a multiple of 8, at most most_timed_steps).
  std::vector<double> timed(std::int64_t sm, std::size_t first, unsigned steps);

 private:
  ProbeLaunch for_one_sm(std::int64_t threads) const;
  void touch(const ProbeKernel& kernel, const WalkParams& params, const DeviceBuffer& memory);

  const ProbeContext& context_;
  DeviceBuffer ring_, other_, result_;
  ProbeKernel build_, walk_, chase_l1_, chase_l2_, timed_;
  RingParams ring_params_{};
  unsigned turn_ = 0;
};

}  // namespace tilecast
