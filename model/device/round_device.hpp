#pragma once
// For tests: a device of round numbers, on which one cycle is one nanosecond. 10 SMs of 128 lanes do 1280
// FMAs in it; two blocks an SM; DRAM 10, L2 100 bytes a nanosecond; DRAM after 500 ns.

#include "model/device/device_profile.hpp"

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

}  // namespace tilecast
