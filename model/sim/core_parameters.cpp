#include "model/sim/core_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "model/device/rates.hpp"
#include "model/sim/memory_queue.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::sim {
namespace {

int whole(double cycles) {
  return static_cast<int>(std::lround(cycles));
}

// Cycles for which a warp instruction occupies its scheduler's pipe, with so many lanes on the SM.
int interval(std::int64_t lanes_per_sm, int schedulers) {
  return std::max(1,
                  static_cast<int>(threads_per_warp * schedulers / std::max<std::int64_t>(1, lanes_per_sm)));
}

int count(const Parameter<std::int64_t>& parameter, int otherwise) {
  return static_cast<int>(parameter.value_or(otherwise));
}

int cycles(const Parameter<Cycles>& parameter, int otherwise) {
  return parameter.present() ? whole(parameter.get().value()) : otherwise;
}

// The curve's slope from x = `from` to x = `to`, in whole cycles per unit of x.
int slope(const Curve& curve, double from, double to, int otherwise) {
  if (curve.x.size() < 2) return otherwise;
  return whole((interpolate(curve, to) - interpolate(curve, from)) / (to - from));
}

// Warps per block in the barrier probes of the profile. Their way through the memory queue and their serial
// arrivals are simulated, so both are subtracted from what was measured (S5, S12).
constexpr int barrier_warps = 8;

// S4.
void read_memory_pipeline(CoreParameters& p, const DeviceProfile& d) {
  p.queue_entries = count(d.memory_queue_entries, p.queue_entries);
  // A device without that queue has room for one instruction there.
  p.shared_queue_places =
      std::max(QueueEntry::most_places, count(d.memory_shared_queue_entries, p.shared_queue_places));
  p.cycles_per_register = cycles(d.memory_register, p.cycles_per_register);
  p.accept_interval = cycles(d.memory_accept, p.accept_interval);
  p.wide_return_hold = cycles(d.wide_return_hold, p.wide_return_hold);
  // An access takes one pass for each 4-byte register of its width.
  p.pass_latency = cycles(d.shared_pass, p.pass_latency);
  if (const auto& widths = d.shared_latency_over_width; !d.shared_pass.present() && widths.present()) {
    constexpr double narrow = 4, wide = 16;
    p.pass_latency = whole((interpolate(widths, wide) - interpolate(widths, narrow)) / (wide / narrow - 1));
  }
  p.shared_latency = whole(d.shared_latency.get().value());
  p.l1_latency = cycles(d.l1_latency, p.l1_latency);
  if (d.shared_read.present())
    p.cycles_per_wavefront = std::max(1.0, wavefront_bytes / d.shared_read.get().value());
}

// S5.
void read_barrier(CoreParameters& p, const DeviceProfile& d) {
  p.barrier_interval = cycles(d.barrier_arrival, slope(d.barrier_over_warps, 8, 32, p.barrier_interval));
  if (d.barrier.present()) {
    p.barrier_release = std::max(
        1, whole(d.barrier.get().value()) - p.shared_load_address - p.barrier_interval * (barrier_warps - 1));
  }
}

// S12.
void read_cluster(CoreParameters& p, const DeviceProfile& d, double blocks) {
  if (d.cluster_shared_latency.present()) p.cluster_latency = whole(d.cluster_shared_latency.get().value());
  p.cluster_blocks = static_cast<int>(blocks);
  if (d.fence.present()) p.fence = std::max(1, whole(d.fence.get().value()) - p.shared_load_address);
  if (const auto& barriers = d.cluster_barrier_over_blocks; barriers.present()) {
    constexpr int loop = 30;  // of the probe's, H200: experiments/fences_of_many.csv
    p.cluster_release = std::max(1, whole(interpolate(barriers, blocks)) - p.fence - p.shared_load_address -
                                        p.barrier_interval * barrier_warps - loop);
  }
  if (const auto& rates = d.cluster_shared_read_over_blocks; rates.present() && blocks > 1)
    p.cluster_bytes_per_cycle = interpolate(rates, blocks);
}

// S6.
void read_beyond_sm(CoreParameters& p, const DeviceProfile& d, Frequency clock) {
  p.clock = clock.value();
  p.l2.near = d.l2_latency.get().value();
  p.l2.far = d.l2_far_latency.present() ? d.l2_far_latency.get().value() : p.l2.near;
  p.dram.near = p.dram.far = std::max(p.l2.far, d.dram_latency.get().value());

  p.l2.over_load = &d.l2_latency_over_load;
  p.l2.low_over_load = &d.l2_latency_p10_over_load;
  p.l2.high_over_load = &d.l2_latency_p90_over_load;
  p.dram.over_load = &d.dram_latency_over_load;
  p.dram.low_over_load = &d.dram_latency_p10_over_load;
  p.dram.high_over_load = &d.dram_latency_p90_over_load;

  const auto per_cycle = [&](Bandwidth bandwidth) { return (bandwidth / clock).value(); };
  p.sms = static_cast<double>(d.sm_count.get());
  p.l2_read = per_cycle(d.l2_read.get());
  if (const auto& sms = d.l2_read_over_active_sms; sms.present())
    p.port_bytes_per_cycle = per_cycle(Bandwidth{interpolate(sms, 1)});
  p.l2_write = per_cycle(d.l2_write.present() ? d.l2_write.get() : d.l2_read.get());
  if (const auto& filled = d.store_rate_filled_by_block_over_piece_and_sms; filled.present())
    p.block_store_cost = std::max(1.0, p.l2_write / (p.sms * interpolate(filled, line_bytes, p.sms)));
  p.dram_read = per_cycle(dram_read_of(d));
  p.dram_write = per_cycle(dram_write_of(d));
}

}  // namespace

CoreParameters core_parameters(const DeviceProfile& d, std::int64_t cluster) {
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

  const auto clock = sm_clock_of(d);
  read_memory_pipeline(p, d);
  read_barrier(p, d);
  read_cluster(p, d, static_cast<double>(cluster));
  // S7. From the rate of a loop that exceeds this cache but fits the next level, one warp per scheduler.
  if (const auto& loops = d.fma_rate_over_loop_length; loops.present()) {
    constexpr double warps = 4;
    p.line_fetch = whole(p.line_instructions * static_cast<double>(lanes) /
                         nearest(loops, stand_in::long_loop_instructions, warps));
  }
  p.branch = cycles(d.branch, p.branch);
  read_beyond_sm(p, d, clock);
  return p;
}

}  // namespace tilecast::sim
