#pragma once
// Constants of one SM (EQUATIONS.md, S*), from the device profile or, where it has none, a documented
// stand-in. Cycles are whole.

#include <cstdint>

#include "model/device/device_profile.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

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

  // S2. Execution pipes of one scheduler; intervals: cycles for which a warp instruction occupies its pipe
  int fp32_pipes = 2;  // integer multiply-adds use the first only
  int fp32_interval = whole_cycles(stand_in::half_width);
  int wide_interval = 4;  // IMAD.HI and IMAD.WIDE, on the first fp32 pipe
  int wide_apart = 6;     // least distance of two of them in one warp
  int wide_wait = 6;      // stall count by which the next one waits for the result
  int integer_interval = whole_cycles(stand_in::half_width);
  int half_interval = whole_cycles(stand_in::half_width);
  int double_interval = 16;
  int special_interval = 8;  // special functions and conversions
  int uniform_interval = 2;

  // S4. Memory pipeline
  int queue_entries = 5;                                    // that a scheduler holds
  int shared_queue_places = stand_in::shared_queue_places;  // behind, for all schedulers
  int cycles_per_register = 2;  // for each vector register that a memory instruction reads
  double loads_in_l1 = 16;      // that wait for L1's banks behind the pipe, at most
  int accept_interval = 1;      // between memory instructions of the SM
  int wide_return_hold = 2;     // cycles without register writes that a 128-bit result needs
  int wide_return_wait = 24;    // its longest wait for these; then it stops the scheduler
  int slow_return_wait = 8;     // of one that comes one register a cycle; then it is written among others
  // Issue to sources read, in an empty queue, 32 bits per lane
  int shared_load_address = 9, shared_store_address = 12;
  int global_load_address = 11, global_store_address = 14, async_copy_address = 13;
  double cycles_per_wavefront = 1;
  double copy_behind_copy = 1;   // extra cycles of a copy through L1 right behind another
  double copy_comes = 2.1;       // cycles that others wait when what L1 had not has come
  double copies_in_l1_half = 0;  // share of what copies through L1 write that lies in L1's half of the store
  int shared_latency = whole_cycles(stand_in::shared_latency);  // issue to use, one pass
  int pass_latency = 3;                                         // each further pass
  int l1_latency = 32;
  int local_latency = whole_cycles(stand_in::local_latency);

  // S5. Barriers
  int barrier_begin = 6;     // from a barrier's issue; until then its warp may still issue
  int barrier_release = 10;  // last arrival to release
  int barrier_interval = 2;  // between arrivals

  // S12. Clusters
  int fence = 257;  // MEMBAR.GPU from the pipe on, without global accesses of the SM since the last one
  int fence_behind = 335;               // extra, with such accesses, one a warp
  int fence_each_fourfold = 43;         // further extra for each factor of 4 in accesses per warp
  int fence_behind_fence = 272;         // instead of fence_behind, behind a fence that is under way
  int fence_behind_fence_stored = 350;  // the same where the SM has stored since that began
  int fence_behind_stores = 286;        // at least, from L2's taking of the SM's last store on
  int fence_interval = 62;              // from a fence's begin to that of the eighth behind it
  int cluster_release = 75;             // last arrival to release
  int cluster_latency = 197;            // issue to use, another block's shared memory
  int cluster_blocks = 1;
  double cluster_bytes_per_cycle = stand_in::cluster_bytes_per_cycle;

  int first_access = 0;

  // S6. Beyond the SM
  LevelLatency l2, dram;
  double clock = 0;  // cycles/s
  double store_port_bytes_per_cycle = stand_in::store_port_bytes_per_cycle;
  double lone_port_cost = stand_in::lone_sector_port, lone_l2_cost = stand_in::lone_sector_l2;
  double store_packets_held = stand_in::store_packets_held;
  double store_bytes_unsent = stand_in::unsent_sectors * sector_bytes;
  double port_bytes_per_cycle = 64;                                 // from L2 to one SM
  double line_cycles = 1.6, line_cycles_past_l1 = 1.05;             // least, for each line read
  double l2_read = 0, l2_write = 0, dram_read = 0, dram_write = 0;  // bytes a cycle, whole device
  double block_store_cost = 1;  // L2's cycles of lines that a block's warps fill, relative to l2_write's
  double sms = 1;

  // S7. Front end
  int line_instructions = stand_in::code_line_instructions;
  int line_sets = stand_in::code_line_sets, line_ways = stand_in::code_line_ways;
  int line_fetch = 19;  // between two lines that miss
  int branch = 4;       // taken branch, beyond its stall count
  int far_branch = 9;   // far taken branch, beyond that
  int converge = 10;    // BSYNC, beyond its stall count

  // S17. First read of a constant line, on an SM with fewer warps than schedulers, and with more
  int constant_line_few = 62, constant_line = whole_cycles(stand_in::constant_line);

  // Variable latency without memory: issue to use
  int special_latency = 25, uniform_read_latency = 35, conversion_latency = 17, mufu_latency = 17,
      double_latency = 16, constant_latency = 28, exchange_latency = 24, uniform_latency = 12;
};

// `cluster`: blocks per cluster. The profile must outlive the result, which points to its curves. Throws
// UnavailableError for a device older than compute capability 7.0, or without schedulers, lanes, clock,
// shared_latency, l2_latency, dram_latency or L2 bandwidth.
CoreParameters core_parameters(const DeviceProfile& device, std::int64_t cluster = 1);

}  // namespace tilecast::sim
