#include "model/sim/core_parameters.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast::sim {
namespace {

// A parameter at an end of its interval; `slow_is_high`: a higher value takes longer.
template <class T>
double at_end(const Parameter<T>& parameter, End end, bool slow_is_high) {
  const double value = parameter.get().value();
  const auto& info = parameter.info;
  if (end == End::value || !info.low || !info.high) return value;
  return (end == End::high) == slow_is_high ? *info.high : *info.low;
}

template <class T>
double latency(const Parameter<T>& parameter, End end) {
  return at_end(parameter, end, true);
}
template <class T>
double rate(const Parameter<T>& parameter, End end) {
  return at_end(parameter, end, false);
}

int whole(double cycles) {
  return static_cast<int>(std::lround(cycles));
}

// Cycles that a warp instruction takes of a pipe of so many lanes a scheduler.
int interval(std::int64_t lanes_per_sm, int schedulers) {
  return std::max(1, static_cast<int>(32 * schedulers / std::max<std::int64_t>(1, lanes_per_sm)));
}

// A rate in bytes/s, of the parameter or the one that stands in for it.
double bytes_per_cycle(const Parameter<Bandwidth>& preferred, const Parameter<Bandwidth>& otherwise, End end,
                       double clock) {
  return rate(preferred.present() ? preferred : otherwise, end) / clock;
}

}  // namespace

CoreParameters core_parameters(const DeviceProfile& d, End end) {
  if (d.compute_capability_major < 7) {
    throw UnavailableError(
        "the simulator reads the control fields of compute capability 7.0 and later, " + d.name + " is older",
        "use the analytic model");
  }
  CoreParameters p;
  p.schedulers = static_cast<int>(d.schedulers_per_sm.get());
  const auto lanes = d.fp32_lanes_per_sm.get();
  // Two half-width pipes where a scheduler has 32 lanes, one where it has 16 (S2).
  p.fp32_pipes = std::max(1, static_cast<int>(lanes / (16 * p.schedulers)));
  p.fp32_interval = interval(lanes / p.fp32_pipes, p.schedulers);

  const double clock =
      rate(d.sm_clock.present() || !d.boost_clock.present() ? d.sm_clock : d.boost_clock, end);
  p.clock = clock;

  p.shared_latency = whole(latency(d.shared_latency, end));
  p.l1_latency = d.l1_latency.present() ? whole(latency(d.l1_latency, end)) : p.l1_latency;
  if (d.shared_read.present()) p.cycles_per_wavefront = std::max(1.0, 128 / rate(d.shared_read, end));

  // The profile's barrier is of eight warps, whose way through the memory queue and arrivals one after the
  // other are simulated, so they come off (S5).
  constexpr int barrier_warps = 8;
  if (d.barrier.present()) {
    p.barrier_release = std::max(
        1, whole(latency(d.barrier, end)) - p.shared_load_address - p.barrier_interval * (barrier_warps - 1));
  }

  p.l2.near = latency(d.l2_latency, end);
  p.l2.far = d.l2_far_latency.present() ? latency(d.l2_far_latency, end) : p.l2.near;
  p.dram.near = p.dram.far = std::max(p.l2.far, latency(d.dram_latency, end));

  p.l2_read = bytes_per_cycle(d.l2_read, d.l2_read, end, clock);
  p.l2_write = bytes_per_cycle(d.l2_write, d.l2_read, end, clock);
  p.dram_read = bytes_per_cycle(d.dram_read, d.dram_peak, end, clock);
  p.dram_write = bytes_per_cycle(d.dram_write, d.dram_peak, end, clock);
  return p;
}

}  // namespace tilecast::sim
