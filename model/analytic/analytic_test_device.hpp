#pragma once
// A device and a kernel of round numbers, for tests: one cycle is one nanosecond.

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast {

inline DeviceProfile round_device() {
  DeviceProfile d;
  d.name = "round";
  d.compute_capability_major = 6;
  d.sm_count.set(10);
  d.fp32_lanes_per_sm.set(128);
  d.schedulers_per_sm.set(4);
  d.max_threads_per_sm.set(2048);
  d.max_threads_per_block.set(1024);
  d.max_blocks_per_sm.set(2);
  d.registers_per_sm.set(65536);
  d.max_registers_per_thread.set(255);
  d.register_allocation_unit.set(256);
  d.shared_per_sm.set(Bytes{65536});
  d.shared_per_block.set(Bytes{49152});
  d.shared_reserved_per_block.set(Bytes{0});
  d.shared_allocation_unit.set(Bytes{256});
  d.l2_size.set(Bytes{1e6});
  d.sm_clock.set(Frequency{1e9});
  d.dram_peak.set(Bandwidth{1e10});
  d.l2_read.set(Bandwidth{1e11});
  d.l2_latency.set(Cycles{200});
  d.dram_latency.set(Cycles{500});
  d.barrier.set(Cycles{20});
  d.launch_graph.set(Seconds{1e-6});
  return d;
}

// Eight warps, each with 100 FFMA, 10 shared loads of 40 wavefronts and 20 integer instructions a trip.
inline Phase round_phase() {
  Phase p;
  p.name = "loop";
  p.active_warps = 8;
  p.warp.ffma = 100;
  p.warp.shared_load.w128 = 10;
  p.warp.shared_load.wavefronts = 40;
  p.warp.integer = 20;
  return p;
}

inline KernelDescription round_kernel(std::int64_t blocks, double trips) {
  KernelDescription k;
  k.family = "round";
  k.launch = {.blocks = blocks, .threads = 256, .registers = 32};
  k.phases = {round_phase()};
  k.phases[0].trips = trips;
  return k;
}

}  // namespace tilecast
