#pragma once
// The constants of one SM that the simulator reads (EQUATIONS.md, S*): from the device profile, and a
// documented stand-in where the profile has none. Cycles are whole.

#include <cstdint>

#include "model/device/device_profile.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast::sim {

using Cycle = std::int64_t;

constexpr int whole_cycles(Cycles cycles) {
  return static_cast<int>(cycles.value());
}

// The latency of a memory level, idle and under load.
struct LevelLatency {
  double near = 0, far = 0;          // cycles from issue to use; far: the other partition's lines
  const Curve* over_load = nullptr;  // bytes/s of the whole device -> cycles: median, p10, p90
  const Curve* low_over_load = nullptr;
  const Curve* high_over_load = nullptr;
};

struct CoreParameters {
  int schedulers = 4;

  // S2. Execution pipes of one scheduler: cycles that a warp instruction takes of one.
  int fp32_pipes = 2;  // each fp32_interval; integer multiply-adds take the first only
  int fp32_interval = whole_cycles(stand_in::half_width);
  int wide_interval = 4;  // IMAD.HI and IMAD.WIDE, of the first fp32 pipe
  int wide_apart = 6;     // those of one warp
  int wide_wait = 6;      // stall count with which the next one waits for the result
  int integer_interval = whole_cycles(stand_in::half_width);
  int half_interval = whole_cycles(stand_in::half_width);
  int double_interval = 16;
  int special_interval = 8;  // special functions and conversions
  int uniform_interval = 2;

  // S4. Memory pipeline
  int queue_entries = 5;             // of one scheduler
  int cycles_per_register = 2;       // that a memory instruction reads, one scheduler
  double loads_in_l1 = 16;           // that have passed the pipe and wait for L1's banks
  int accept_interval = 1;           // between memory instructions of the SM
  int wide_return_hold = 2;          // see decode.cpp
  int wide_return_wait = 24;         // for cycles without results of its scheduler's own
  // Issue to sources read, in an empty queue, of 32 bits a lane
  int shared_load_address = 9, shared_store_address = 12;
  int global_load_address = 11, global_store_address = 14, async_copy_address = 13;
  double cycles_per_wavefront = 1;
  double copy_behind_copy = 1;  // what a copy through L1 takes longer right behind another
  int shared_latency = whole_cycles(stand_in::shared_latency);  // issue to use, one pass
  int pass_latency = 3;                                         // each further pass
  int l1_latency = 32;
  int local_latency = whole_cycles(stand_in::local_latency);

  // S5. Barrier: last arrival to release
  int barrier_begin = 6;  // cycles from a barrier's issue, before which its warp goes on
  int barrier_release = 10;
  int barrier_interval = 2;  // between arrivals

  // S12. Clusters
  int fence = 266;  // MEMBAR.GPU, if the SM has done nothing global since the last
  int fence_behind = whole_cycles(stand_in::fence_behind);  // what it takes longer if it has
  int fence_behind_fence = 272;                             // the same, right behind another's
  int fence_each_fourfold = 43;  // and behind four times as many accesses of each warp
  int fence_interval = 5;        // between those of an SM
  int cluster_release = 75;      // last arrival to release
  int cluster_latency = 197;     // issue to use of another block's shared memory
  int cluster_blocks = 1;
  double cluster_bytes_per_cycle = stand_in::cluster_bytes_per_cycle;

  int first_access = whole_cycles(stand_in::first_access);

  // S6. Beyond the SM
  LevelLatency l2, dram;
  double clock = 0;  // cycles/s
  double store_port_bytes_per_cycle = stand_in::store_port_bytes_per_cycle;
  double lone_port_cost = stand_in::lone_sector_port, lone_l2_cost = stand_in::lone_sector_l2;
  double store_packets_held = stand_in::store_packets_held;
  double port_bytes_per_cycle = 64;                                 // from L2 to one SM
  double line_cycles = 1.6, line_cycles_past_l1 = 1.05;             // and at least for each line
  double l2_read = 0, l2_write = 0, dram_read = 0, dram_write = 0;  // bytes a cycle, whole device
  double sms = 1;

  // S7. Front end
  int line_instructions = stand_in::code_line_instructions;
  int line_sets = stand_in::code_line_sets, line_ways = stand_in::code_line_ways;
  int line_fetch = 19;  // cycles between two that are not cached
  int branch = 4;       // cycles in which a warp cannot issue after a taken branch, beyond its stall count
  int far_branch = 9;   // after a far one, beyond that
  int converge = 10;    // after its lanes have met, beyond the stall count

  // S17. A line of constants that is new to the SM: of fewer warps than schedulers, of more
  int constant_line_few = 62, constant_line = whole_cycles(stand_in::constant_line);

  // Variable latency without memory: issue to use
  int special_latency = 20, conversion_latency = 17, mufu_latency = 17, double_latency = 16,
      constant_latency = 28, exchange_latency = 24, uniform_latency = 12;
};

// The profile must outlive the result, which points to its curves.
// Throws UnavailableError for a device older than compute capability 7.0, or without schedulers, lanes,
// clock, shared_latency, l2_latency, dram_latency, or L2 bandwidth. `cluster`: blocks of the kernel's
// clusters.
CoreParameters core_parameters(const DeviceProfile& device, std::int64_t cluster = 1);

}  // namespace tilecast::sim
